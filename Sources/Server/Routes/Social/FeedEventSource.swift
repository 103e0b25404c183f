import API
import Database
import Model
import Social
import Tree

/// The changes of a home feed, as events.
struct FeedEventSource: EventSource {
    private let events: HomeFeedEvents
    private let media: MediaAccess
    /// Checks that posts may be read.
    private let requireReading: @Sendable () async throws -> Void
    /// Returns the view in which posts are shown.
    private let view: @Sendable () async throws -> FeedView

    init(
        _ events: HomeFeedEvents, _ media: MediaAccess, requireReading: @escaping @Sendable () async throws -> Void,
        view: @escaping @Sendable () async throws -> FeedView
    ) {
        self.events = events
        self.media = media
        self.requireReading = requireReading
        self.view = view
    }

    var greeting: String { "changes of the feed follow" }

    func judge() async throws {
        try await requireReading()
        guard try await events.hasReader else { throw Failure.noSuchPerson }
    }

    func listen(bufferLimit: Int) async throws -> [Subscription] { try await events.listen(bufferLimit: bufferLimit) }

    func changes(since token: SyncToken) async throws -> (changes: [HomeFeedChange], next: SyncToken, hasMore: Bool) {
        try await events.changes(since: token)
    }

    func extent(of change: HomeFeedChange) -> (token: SyncToken, count: Int) { (change.token, change.count) }

    func messages(of change: HomeFeedChange, _ numbers: Range<Int>) async throws -> [EventMessage?] {
        try await events.events(of: change, numbers, try await view()).map { $0.map(message) }
    }

    private func message(_ event: HomeFeedEvent) -> EventMessage {
        switch event {
        case .put(let item, let position):
            .event(
                "put",
                PostEventDocument(path: "/\(item.id)", data: item.document(media), position: position.description))
        case .removed(let id): .event("put", PostEventDocument(path: "/\(id)", data: nil, position: nil))
        case .left(let author): .event("left", AuthorEventDocument(author: author.description))
        case .replaced: .resnapshot
        }
    }
}
