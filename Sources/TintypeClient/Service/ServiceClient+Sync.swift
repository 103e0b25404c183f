public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The user's slice of the service, for a device that keeps it.
extension ServiceClient {
    /// Returns what has changed since a position.
    ///
    /// - Parameters:
    ///   - position: The `next` of the changes before; nil for everything.
    ///   - limit: The largest number of elements of a part that is replaced; nil for 20.
    ///   - posts: Up to 100 further posts whose changes are of interest.
    public func changes(
        since position: String? = nil, limit: Int? = nil, including posts: [Post.ID] = []
    ) async throws -> Answer<SyncChanges> {
        try await answer(to: Self.changes(since: position, limit: limit, including: posts))
    }

    /// Returns the changes since a position as they happen; those so far come first.
    ///
    /// - Parameters:
    ///   - position: The `next` of the changes before; nil for everything.
    ///   - limit: The largest number of elements of a part that is replaced; nil for 20.
    ///   - posts: Up to 100 further posts whose changes are of interest.
    public func changeEvents(
        since position: String? = nil, limit: Int? = nil, including posts: [Post.ID] = []
    ) async throws -> SyncEvents {
        SyncEvents(try await events(for: Self.changes(since: position, limit: limit, including: posts)))
    }

    private static func changes(
        since position: String?, limit: Int?, including posts: [Post.ID]
    ) -> ServiceRequest {
        var request = ServiceRequest("GET", ["v1", "sync"])
        request.setQuery("since", position)
        request.setQuery("limit", limit)
        if !posts.isEmpty { request.setQuery("posts", posts.map(\.rawValue).joined(separator: " ")) }
        return request
    }
}

/// The changes of the user's slice, as they happen. The sequence ends when the connection or the token does; it is
/// continued by another one from the `next` of the last changes.
public struct SyncEvents: AsyncSequence, Sendable {
    /// The changes.
    public typealias Element = SyncChanges

    private let events: ServerSentEvents

    init(_ events: ServerSentEvents) { self.events = events }

    /// Begins to read the changes.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// The reader of the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: ServerSentEvents.Iterator

        /// Returns the next changes; nil at the end.
        ///
        /// - Throws: `TransportError` if the connection broke; `DecodingError` for what are not changes.
        @concurrent public mutating func next() async throws -> SyncChanges? {
            while let event = try await events.next() {
                switch event.name {
                case "sync": return try JSONDecoder().decode(SyncChanges.self, from: Data(event.data.utf8))
                case "auth_revoked": return nil
                default: continue
                }
            }
            return nil
        }
    }
}
