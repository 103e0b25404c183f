import Access
import Accounts
import Cryptography
import Outgoing
import Service

/// What an operator chose about accounts: who else is believed, and what hands messages to people.
struct AccountChoices: Sendable {
    let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// The line of the log at the start where sign-up is closed because nobody has chosen; nil where somebody has, or it is open.
    ///
    /// - Parameter http: Who reaches the service.
    /// - Throws: `ConfigurationError`.
    func closedSignUpNotice(_ http: HTTPServer.Settings) throws -> String? {
        guard try configuration.value(\.signUp) == nil, let reach = http.reach else { return nil }
        return "sign-up is closed, for \(reach); the setting sign-up opens it, \"tintype user add\" makes accounts"
    }

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
    func delivery(by client: OutgoingClient, warn: (String) -> Void) throws -> CodeDelivery? {
        switch try OutgoingChoice.accounts.route(in: configuration, by: client, warn: warn) {
        case nil: nil
        case .program(let program): AccountCommand(program).delivery
        case .webhook(let webhook): AccountWebhook(webhook).delivery
        }
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
