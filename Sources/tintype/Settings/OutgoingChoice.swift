import Access
import Outgoing

/// To what an operator has documents handed: the settings `NAME-command`, `NAME-webhook` and `NAME-webhook-secret`.
struct OutgoingChoice: Sendable {
    /// What sends messages about accounts.
    static let accounts = OutgoingChoice(
        name: "account", command: \.accountCommand, webhook: \.accountWebhook,
        secretFile: \.accountWebhookSecretFile)
    /// What sends notifications.
    static let notifications = OutgoingChoice(
        name: "notification", command: \.notificationCommand, webhook: \.notificationWebhook,
        secretFile: \.notificationWebhookSecretFile)
    /// What decides about posts.
    static let moderation = OutgoingChoice(
        name: "moderation", command: \.moderationCommand, webhook: \.moderationWebhook,
        secretFile: \.moderationWebhookSecretFile)
    static let all = [accounts, notifications, moderation]

    enum Way: Sendable {
        case program(OperatorProgram)
        case webhook(SignedWebhook)
    }

    let name: String
    let command: any KeyPath<ServiceSettings, String> & Sendable
    let webhook: any KeyPath<ServiceSettings, String> & Sendable
    let secretFile: any KeyPath<ServiceSettings, String> & Sendable

    /// The program, or the address; nil for nothing.
    ///
    /// - Throws: `ConfigurationError` when it cannot be used, or both are set.
    func way(in configuration: Configuration, by client: OutgoingClient) throws -> Way? {
        let (path, url) = (try configuration.value(command), try configuration.value(webhook))
        guard path.isEmpty || url.isEmpty else {
            throw ConfigurationError("\(name)-command and \(name)-webhook exclude each other; leave one of them out")
        }
        if let secret = try webhookSecret(in: configuration) {
            return .webhook(SignedWebhook(url: url, secret: Secret(secret.text), client: client))
        }
        guard !path.isEmpty else { return nil }
        guard let program = OperatorProgram(path: path) else {
            throw ConfigurationError("\(name)-command: \(path) is no program that can be run")
        }
        return .program(program)
    }

    /// The secret that signs what is posted to the webhook; nil when there is no webhook.
    ///
    /// - Throws: `ConfigurationError` when only one of the two is set, or the file cannot be used.
    func webhookSecret(in configuration: Configuration) throws -> SecretFile? {
        let (url, path) = (try configuration.value(webhook), try configuration.value(secretFile))
        guard url.isEmpty == path.isEmpty else {
            throw ConfigurationError(
                path.isEmpty
                    ? "\(name)-webhook needs \(name)-webhook-secret, a file such as \"openssl rand -hex 32\" makes"
                    : "\(name)-webhook-secret signs what goes to \(name)-webhook, which is not set")
        }
        return path.isEmpty ? nil : try SecretFile(path: path, of: "the webhook's secret")
    }
}
