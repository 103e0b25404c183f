import API
import Access
package import Database
import Hummingbird
import Model
package import Requests
package import Social
package import Tree

/// `/v1/sync`: what has changed for one reader since a position, in one request or as server-sent events.
package struct SyncRoutes: Sendable {
    /// The largest number of posts that a reader may name.
    private static let maxNamed = 100
    /// The form of a position (``SyncCursor``).
    private static let cursorPattern = "^[0-9]{1,20}(\\.[0-9a-f](\\.[0-9]{1,20}(-[0-9]{1,10})?)?)?$"

    /// The parts that the lists are read from.
    struct Parts: Sendable {
        let tree: TreeStore
        let database: RealtimeDatabase
        let lists: FeedLists
        let tasks: FollowUpTaskWorker
        let notifications: Notifications
        let hiding: HiddenTexts
        let media: MediaAccess
        let response: UploadResponse
        let clock: @Sendable () -> Timestamp
    }

    private let parts: Parts
    private let events: EventResponder

    package init(
        _ tree: TreeStore, _ database: RealtimeDatabase, tasks: FollowUpTaskWorker, _ visibility: Visibility,
        _ media: MediaAccess, _ response: UploadResponse, _ events: EventResponder,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        parts = Parts(
            tree: tree, database: database, lists: FeedLists(tree, database), tasks: tasks,
            notifications: Notifications(tree, clock: clock), hiding: HiddenTexts(database, visibility), media: media,
            response: response, clock: clock)
        self.events = events
    }

    package func add(to routes: inout RouteTable) {
        let sync = Endpoint(
            "sync", in: .people, "Get what has changed for you since a position",
            details: """
                Your home feed with its counts, the posts of your audiences, your memberships, notifications and own \
                uploads. Without `since`, and whenever the difference cannot be determined, each part is replaced (`reset`).
                """,
            [
                .query("since", .text(matching: Self.cursorPattern), "the `next` of the answer before"),
                .query("limit", .integer(1...PageSize.max), "the largest number of elements of a new part"),
                .query("posts", .text, "the ids of up to \(Self.maxNamed) further posts, separated by spaces"),
                .header("Last-Event-ID", .text(matching: Self.cursorPattern), "in place of `since`"),
            ],
            answers: [.json(SyncDocument.self).withToken, .events(SyncDocument.self)],
            errors: [.permissionDenied, .badUser], run: read)
        routes.add("/v1/sync", [.get: sync])
    }

    @Sendable private func read(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let reader = SyncReader(
            parts: parts, reader: try context.actor, context: context, limit: try context.query.pageLimit(),
            named: try Self.named(context.query["posts"]))
        let start = try Self.cursor(request.headers[.lastEventID] ?? context.query["since"])
        if request.headers[.accept]?.contains("text/event-stream") == true {
            return try await events.response(of: SyncEventSource(reader, from: start), since: nil, to: request, context)
        }
        let (document, next) = try await reader.difference(since: start)
        return .json(document, at: next.token)
    }

    private static func cursor(_ text: String?) throws(Failure) -> SyncCursor? {
        guard let text, !text.isEmpty else { return nil }
        guard let cursor = SyncCursor(text) else {
            throw Failure(
                .badRequest, "since is not a position", hint: "Use \"next\" of the answer before, or leave it out.")
        }
        return cursor
    }

    private static func named(_ text: String?) throws(Failure) -> Set<TreeKey> {
        var named: Set<TreeKey> = []
        for word in text?.split(separator: " ") ?? [] {
            guard let key = try? TreeKey(String(word)), named.count < maxNamed else {
                throw Failure(
                    .badRequest, "posts does not name up to \(maxNamed) posts", hint: "Separate their ids by spaces.")
            }
            named.insert(key)
        }
        return named
    }
}
