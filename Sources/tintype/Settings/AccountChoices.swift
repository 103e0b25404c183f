import Access
import Accounts
import Cryptography
import Outgoing
import Requests
import Service

/// The operator's choices about accounts: the trusted issuers, and the delivery of messages.
struct AccountChoices: Sendable {
    let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// The log line at the start for sign-up that is by invitation only by default; nil when sign-up is open, or when the
    /// operator chose.
    ///
    /// - Parameter http: The settings that determine which machines reach the service.
    /// - Throws: `ConfigurationError`.
    func closedSignUpNotice(_ http: HTTPServer.Settings) throws -> String? {
        guard try configuration.value(\.signUp) == nil, let reach = http.reach else { return nil }
        return "sign-up is by invitation only, for \(reach); \"tintype invite add\" makes an invitation, the setting "
            + "sign-up opens sign-up to others"
    }

    /// Returns the ways in which people may make an account: those that the operator chose, or the safe ones.
    ///
    /// - Parameter isReached: Whether other machines reach the service.
    /// - Throws: `ConfigurationError`.
    func signUp(isReached: Bool) throws -> SignUpMethods {
        try configuration.value(\.signUp) ?? (isReached ? .invitation : .all)
    }

    /// The issuers whose ID tokens are accepted, in addition to the service itself.
    ///
    /// - Throws: `ConfigurationError` that names the setting, the file and the error.
    func issuers() throws -> [IssuerSettings] {
        let projects = try configuration.value(\.firebaseProjects)
        let path = try configuration.value(\.issuersFile)
        return try Self.naming("issuers") {
            let issuers = projects + (path.isEmpty ? [] : try IssuersFile(path: path).issuers)
            try IssuerSettings.check(issuers)
            return issuers
        }
    }

    /// The service accounts whose custom tokens are accepted.
    ///
    /// - Throws: `ConfigurationError` that names the setting, the file and the error.
    func serviceAccounts() throws -> [ServiceAccount] {
        try configuration.value(\.serviceAccounts).map { text in
            try Self.naming("service-accounts") { try ServiceAccount(parsing: text) }
        }
    }

    /// The delivery of messages to people, by a program or to an address; nil for none.
    ///
    /// - Throws: `ConfigurationError` when the program or address cannot be used, or both are set.
    func delivery(by client: OutgoingClient, warn: (String) -> Void) throws -> CodeDelivery? {
        switch try OutgoingChoice.accounts.route(in: configuration, by: client, warn: warn) {
        case nil: nil
        case .program(let program): AccountCommand(program).delivery
        case .webhook(let webhook): AccountWebhook(webhook).delivery
        }
    }

    /// The address at which people reach the service, without a path; empty when it is not known.
    func origin() throws -> String {
        let http = try configuration.settings(HTTPServer.Settings(socketPath: ""))
        let isEncrypted = try !configuration.value(\.tlsCertificate).isEmpty
        return http.publicURL?.origin ?? http.listen.map { "\(isEncrypted ? "https" : "http")://\($0)" } ?? ""
    }

    /// Runs a body, and adds the name of the setting to its errors.
    private static func naming<R>(_ setting: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as KeyError {
            throw ConfigurationError("\(setting): \(error.message)")
        }
    }
}
