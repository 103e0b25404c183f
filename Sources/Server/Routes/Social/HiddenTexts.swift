import API
import Database
import Hummingbird
import Model
import Requests
import TreeModel

/// The removal of texts from notifications whose reader may not read them.
struct HiddenTexts: Sendable {
    private let database: RealtimeDatabase
    private let visibility: Visibility

    init(_ database: RealtimeDatabase, _ visibility: Visibility) {
        (self.database, self.visibility) = (database, visibility)
    }

    /// Removes the texts of posts, and of comments on posts, that the requester may not read.
    func removeHiddenTexts(
        from notifications: inout [NotificationDocument], _ context: HTTPContext
    ) async throws {
        guard try await visibility.state.hidesPosts else { return }
        for (index, notification) in notifications.enumerated() {
            guard notification.text != nil, let id = notification.post.flatMap({ PostID($0) }) else { continue }
            let path = notification.comment == nil ? PostNodes.post(id) : ReactionNodes.comment(id)
            if try await !context.mayRead(path, in: database) { notifications[index].text = nil }
        }
    }
}
