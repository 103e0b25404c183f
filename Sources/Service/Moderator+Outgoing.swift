package import Outgoing
package import Uploads

extension Moderator {
    /// Creates a moderator that is a program or an address.
    package init(_ route: OutgoingRoute) {
        switch route {
        case .program(let program):
            self.init(photos: .paths) {
                try await program.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        case .webhook(let webhook):
            self.init(photos: .bytes) {
                try await webhook.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        }
    }
}
