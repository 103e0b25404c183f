package import Outgoing
package import Uploads

extension Moderator {
    /// The program or the address that decides about posts before they are published.
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
