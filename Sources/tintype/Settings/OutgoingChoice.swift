import Access
import Cryptography
import Outgoing

/// The operator's choice of a destination for documents: a program or an address.
struct OutgoingChoice: Sendable {
    /// The destination of messages about accounts.
    static let accounts = OutgoingChoice(
        name: "account",
        commandHelp: "A program that sends messages to people: codes that prove an e-mail address or reset a password.",
        commandDetails: "It reads each message as JSON from its standard input",
        webhookHelp: "An address to which the messages of account-command are posted instead.",
        manual: "Accounts.md#messages")
    /// The destination of notifications.
    static let notifications = OutgoingChoice(
        name: "notification",
        commandHelp: "A program that delivers notifications to people's devices.",
        commandDetails: "It reads each as JSON from its standard input",
        webhookHelp: "An address to which notifications are posted instead.", manual: "Social.md#delivery")
    /// The moderator of posts.
    static let moderation = OutgoingChoice(
        name: "moderation",
        commandHelp: "A program that decides about each post before it is published.",
        commandDetails: "It reads the post as JSON from its standard input, and prints its decision",
        webhookHelp: "An address to which posts are sent for moderation instead.", manual: "Social.md#moderation")
    static let all = [accounts, notifications, moderation]

    /// The texts of the settings; empty for settings that are not set.
    private struct Part: Sendable {
        /// The path of a program.
        var command = ""
        /// An address.
        var webhook = ""
        /// The file of the secret that signs the requests to the address.
        var secretFile = ""
    }

    let name: String
    private let commandHelp: String
    private let commandDetails: String
    private let webhookHelp: String
    /// The section of the documents that explains the settings.
    private let manual: String

    /// The settings themselves.
    var settings: [any Setting] {
        [
            StoredSetting(
                name: "\(name)-command", target: \Part.command, defaultText: "", help: commandHelp,
                details: "\(commandDetails) ([how](\(manual))).", flag: .value("program"),
                expectation: "the path of a program", parse: { $0 }),
            StoredSetting(
                name: "\(name)-webhook", target: \Part.webhook, defaultText: "", help: webhookHelp,
                details: "It needs `\(name)-webhook-secret` ([how](\(manual))).", flag: .value("url"),
                expectation: "an https address, or an http address on this machine",
                parse: { $0.isEmpty || IssuerSettings.isAllowed(url: $0) ? $0 : nil }),
            StoredSetting(
                name: "\(name)-webhook-secret", target: \Part.secretFile, defaultText: "",
                help: "A file with the secret that signs requests to \(name)-webhook.", flag: .value("file"),
                expectation: "a file", parse: { $0 }),
        ]
    }

    /// Returns the program or the address; nil for neither.
    ///
    /// - Parameter warn: Called with a warning for the operator about the file of the secret.
    /// - Throws: `ConfigurationError` when the program or address cannot be used, or both are set.
    func route(
        in configuration: Configuration, by client: OutgoingClient, warn: (String) -> Void
    ) throws -> OutgoingRoute? {
        let part = try part(in: configuration)
        guard part.command.isEmpty || part.webhook.isEmpty else {
            throw ConfigurationError("\(name)-command and \(name)-webhook exclude each other; leave one of them out")
        }
        if let secret = try webhookSecret(in: configuration) {
            if let warning = secret.warning { warn(warning) }
            return .webhook(SignedWebhook(url: part.webhook, secret: Secret(secret.text), client: client))
        }
        guard !part.command.isEmpty else { return nil }
        guard let program = OperatorProgram(path: part.command) else {
            throw ConfigurationError("\(name)-command: \(part.command) is not a program that can be run")
        }
        return .program(program)
    }

    /// Returns the secret that signs the requests to the webhook; nil when there is no webhook.
    ///
    /// - Throws: `ConfigurationError` when only one of the two is set, or the file cannot be used.
    func webhookSecret(in configuration: Configuration) throws -> SecretFile? {
        let part = try part(in: configuration)
        guard part.webhook.isEmpty == part.secretFile.isEmpty else {
            throw ConfigurationError(
                part.secretFile.isEmpty
                    ? "\(name)-webhook needs \(name)-webhook-secret, a file such as \"openssl rand -hex 32\" writes"
                    : "\(name)-webhook-secret signs requests to \(name)-webhook, which is not set")
        }
        return part.secretFile.isEmpty ? nil : try SecretFile(path: part.secretFile, of: "the webhook's secret")
    }

    private func part(in configuration: Configuration) throws -> Part {
        var part = Part()
        try configuration.store(settings, in: &part)
        return part
    }
}
