import Access
import Cryptography
import Outgoing

/// To what an operator has documents handed: a program or an address.
struct OutgoingChoice: Sendable {
    /// What sends messages about accounts.
    static let accounts = OutgoingChoice(
        name: "account",
        commandHelp: "A program that sends messages to people: codes that prove an e-mail address or reset a password.",
        commandDetails: "It is given each message as JSON on its standard input",
        webhookHelp: "An address to which such messages are posted instead.", manual: "Accounts.md#messages")
    /// What sends notifications.
    static let notifications = OutgoingChoice(
        name: "notification",
        commandHelp: "A program that is given each notification, to bring it to somebody's device.",
        commandDetails: "It is given each as JSON on its standard input",
        webhookHelp: "An address to which notifications are posted instead.", manual: "Social.md#delivery")
    /// What decides about posts.
    static let moderation = OutgoingChoice(
        name: "moderation",
        commandHelp: "A program that decides about each post before it is published.",
        commandDetails: "It is asked in JSON on its standard input, and prints its answer",
        webhookHelp: "An address that is asked instead.", manual: "Social.md#moderation")
    static let all = [accounts, notifications, moderation]

    /// The texts of the settings; empty for what is not set.
    private struct Part: Sendable {
        /// The path of a program.
        var command = ""
        /// An address.
        var webhook = ""
        /// The file of the secret that signs what is posted there.
        var secretFile = ""
    }

    let name: String
    private let commandHelp: String
    private let commandDetails: String
    private let webhookHelp: String
    /// The place in the documents that says more.
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
                help: "A file whose content signs what is posted to \(name)-webhook.", flag: .value("file"),
                expectation: "a file", parse: { $0 }),
        ]
    }

    /// The program, or the address; nil for nothing.
    ///
    /// - Parameter warn: Told what the operator should know about the file of the secret.
    /// - Throws: `ConfigurationError` when it cannot be used, or both are set.
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
            throw ConfigurationError("\(name)-command: \(part.command) is no program that can be run")
        }
        return .program(program)
    }

    /// The secret that signs what is posted to the webhook; nil when there is no webhook.
    ///
    /// - Throws: `ConfigurationError` when only one of the two is set, or the file cannot be used.
    func webhookSecret(in configuration: Configuration) throws -> SecretFile? {
        let part = try part(in: configuration)
        guard part.webhook.isEmpty == part.secretFile.isEmpty else {
            throw ConfigurationError(
                part.secretFile.isEmpty
                    ? "\(name)-webhook needs \(name)-webhook-secret, a file such as \"openssl rand -hex 32\" makes"
                    : "\(name)-webhook-secret signs what goes to \(name)-webhook, which is not set")
        }
        return part.secretFile.isEmpty ? nil : try SecretFile(path: part.secretFile, of: "the webhook's secret")
    }

    private func part(in configuration: Configuration) throws -> Part {
        var part = Part()
        try configuration.store(settings, in: &part)
        return part
    }
}
