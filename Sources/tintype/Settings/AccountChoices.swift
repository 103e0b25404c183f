import Access
import Accounts
import Outgoing

/// What an operator chose about accounts: who else is believed, and what hands messages to people.
struct AccountChoices: Sendable {
    let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// The issuers whose ID tokens are believed, besides the service itself.
    ///
    /// - Throws: `ConfigurationError` that names the setting, the file and the fault.
    func issuers() throws -> [IssuerSettings] {
        let projects = try configuration.value(\.firebaseProjects)
        let path = try configuration.value(\.issuersFile)
        return try Self.naming("issuers") {
            let issuers = projects + (path.isEmpty ? [] : try IssuersFile(path: path).issuers)
            try IssuerSettings.check(issuers)
            return issuers
        }
    }

    /// The service accounts whose custom tokens are believed.
    ///
    /// - Throws: `ConfigurationError` that names the setting, the file and the fault.
    func serviceAccounts() throws -> [ServiceAccount] {
        try configuration.value(\.serviceAccounts).map { text in
            try Self.naming("service-accounts") { try ServiceAccount(parsing: text) }
        }
    }

    /// What hands messages to people: a program, or an address; nil for nothing.
    ///
    /// - Throws: `ConfigurationError` when it cannot be used, or both are set.
    func delivery(by client: OutgoingClient) throws -> CodeDelivery? {
        let (path, url) = (try configuration.value(\.accountCommand), try configuration.value(\.accountWebhook))
        guard path.isEmpty || url.isEmpty else {
            throw ConfigurationError("account-command and account-webhook both send messages; leave one of them out")
        }
        if let secret = try webhookSecret() {
            return AccountWebhook(url: url, secret: Secret(secret.text), client: client).delivery
        }
        guard !path.isEmpty else { return nil }
        guard let command = AccountCommand(path: path) else {
            throw ConfigurationError("account-command: \(path) is no program that can be run")
        }
        return command.delivery
    }

    /// The secret that signs what is posted to the webhook; nil when there is no webhook.
    ///
    /// - Throws: `ConfigurationError` when only one of the two is set, or the file cannot be used.
    func webhookSecret() throws -> SecretFile? {
        let (url, path) = (
            try configuration.value(\.accountWebhook), try configuration.value(\.accountWebhookSecretFile)
        )
        guard url.isEmpty == path.isEmpty else {
            throw ConfigurationError(
                path.isEmpty
                    ? "account-webhook needs account-webhook-secret, a file such as \"openssl rand -hex 32\" makes"
                    : "account-webhook-secret signs what goes to account-webhook, which is not set")
        }
        return path.isEmpty ? nil : try SecretFile(path: path, of: "the webhook's secret")
    }

    /// Runs a body whose errors are about a setting.
    private static func naming<R>(_ setting: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as KeyError {
            throw ConfigurationError("\(setting): \(error.message)")
        }
    }
}
