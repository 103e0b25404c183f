import Files
import Foundation
package import Outgoing
package import Uploads

extension Moderator {
    /// The program or the address that decides about posts before they are published.
    ///
    /// - Parameter storagePath: The Storage folder, whose files a program is told by path.
    package init(_ route: OutgoingRoute, storagePath: String) {
        switch route {
        case .program(let program):
            let root = URL(filePath: storagePath, relativeTo: nil).standardizedFileURL.path
            self.init(photos: .paths(root: root)) {
                try await program.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        case .webhook(let webhook):
            self.init(photos: .bytes) {
                try await webhook.answer(to: $0, maxBytes: Moderator.maxAnswerBytes, within: Moderator.time)
            }
        }
    }
}
