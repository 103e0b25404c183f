import API
package import Database
import Hummingbird
import Model
package import Requests
import Social
package import Tree

/// `/v1/posts/events`: posts as they are published and deleted, as server-sent events.
package struct EventRoutes: Sendable {
    private let tree: TreeStore
    private let database: RealtimeDatabase
    private let media: MediaAccess
    private let events: EventResponder

    package init(_ tree: TreeStore, _ database: RealtimeDatabase, _ media: MediaAccess, _ events: EventResponder) {
        self.tree = tree
        self.database = database
        self.media = media
        self.events = events
    }

    package func add(to routes: inout RouteTable) {
        let follow = Endpoint(
            "watchPosts", in: .posts, "Watch posts appear and disappear, as server-sent events", EventID.parameters,
            answers: [.events(PostEventDocument.self)], errors: [.permissionDenied], run: follow)
        routes.add("/v1/posts/events", [.get: follow])
    }

    @Sendable private func follow(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let start = try EventID.requested(by: request, context.query)
        let source = PostEventSource(tree: tree, media: media, session: database.session(as: context.identity))
        try await source.judge()
        return try await events.response(of: source, since: start, to: request, context)
    }
}

/// The events of all posts.
private struct PostEventSource: EventSource {
    let tree: TreeStore
    let media: MediaAccess
    let session: DatabaseSession

    var greeting: String { "new posts follow" }

    func judge() async throws { try await session.judgeRead(of: PostNodes.post()) }

    func listen(bufferLimit: Int) async throws -> [Subscription] {
        [try await tree.subscribe(to: PostNodes.post(), bufferLimit: bufferLimit, readsValue: false)]
    }

    func changes(since token: SyncToken) async throws -> (changes: [Change], next: SyncToken, hasMore: Bool) {
        let (changes, next, hasMore) = try await tree.snapshot { snapshot in
            try snapshot.changes(since: token, at: [PostNodes.post()])
        }
        return (changes.flatMap { $0.compactMap { $0 } }, next, hasMore)
    }

    func extent(of change: Change) -> (token: SyncToken, count: Int) { (change.token, change.writes.count) }

    func messages(of change: Change, _ numbers: Range<Int>) async throws -> [EventMessage?] {
        let events = try await PostReader(tree).events(of: change, numbers)
        return try await tree.snapshot { snapshot in
            try events.map { event in try event.map { try message($0, at: change.timestamp, in: snapshot) } }
        }
    }

    /// Returns the message of an event.
    ///
    /// - Parameter time: The time of the change, which is the last that the message contains.
    private func message(
        _ event: PostEvent, at time: Timestamp, in snapshot: TreeSnapshot
    ) throws(TreeError) -> EventMessage {
        switch event {
        case .put(let id, let record, let position):
            var times = try EntityTimes(at: TimeNodes.post(id), in: snapshot).completed(by: record)
            times.updated = time
            return .event(
                "put",
                PostEventDocument(
                    path: "/\(id)", data: PostDocument(media.signed(record.shown(times), id: id)),
                    position: position?.description))
        case .deleted(let id): return .event("put", PostEventDocument(path: "/\(id)", data: nil, position: nil))
        case .unreadable(let id, let fault): return .comment("posts/\(id) is no post: \(fault)")
        case .replaced: return .resnapshot
        }
    }
}
