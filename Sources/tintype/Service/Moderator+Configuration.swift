import Files
import Foundation
import Logging
import Outgoing
import Pipeline

extension Moderator {
    /// Whoever decides about posts before they are published, as the operator has chosen.
    ///
    /// - Returns: nil when nobody does.
    /// - Throws: `ConfigurationError`.
    init?(_ configuration: Configuration, storagePath: String, _ client: OutgoingClient, logger: Logger) throws {
        let choice = OutgoingChoice.moderation
        if let warning = try choice.webhookSecret(in: configuration)?.warning { logger.warning("\(warning)") }
        switch try choice.way(in: configuration, by: client) {
        case .program(let program):
            let root = URL(filePath: storagePath, relativeTo: nil).standardizedFileURL.path
            self.init(photos: .paths(root: root)) {
                try await program.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        case .webhook(let webhook):
            self.init(photos: .bytes) {
                try await webhook.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        case nil: return nil
        }
    }
}
