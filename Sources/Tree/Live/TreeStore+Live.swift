/// One who listens, by name.
public struct LiveListener: Hashable, Sendable {
    /// The name that the outlet is given with each event.
    public let id: UInt64
    let path: TreePath
    let query: TreeQuery?
}

extension TreeStore {
    /// The largest value that a listener may begin with, in bytes of JSON.
    public static let maxLiveBytes = 64 << 20

    /// Begins to tell an outlet of every change at a path, in the words of Realtime Database clients.
    ///
    /// Events may come to the outlet before this returns. To lose and double none, hold back those whose token is greater
    /// than that of the start, and drop the others. With a query, changes that come close together may be one event.
    ///
    /// - Parameters:
    ///   - path: What to listen to.
    ///   - query: Which children of it; nil for all that is there.
    ///   - outlet: Who is told.
    ///   - maxBytes: The largest value that is read as a start.
    ///   - began: Told the listener's name before the first event can come to it.
    /// - Returns: What is there, told as a put; events with a token that is not greater are part of it.
    /// - Throws: ``TreeError`` with code `too_large` or `index_not_defined`, or the engine's failure; nobody listens then.
    public func listen(
        at path: TreePath, matching query: TreeQuery? = nil, on outlet: any LiveOutlet, maxBytes: Int = maxLiveBytes,
        began: (LiveListener) -> Void
    ) async throws(TreeError) -> LiveEvent {
        try path.checkDepth()
        let listener = LiveListener(
            id: query == nil ? live.add(outlet, at: StorageFormat.dataKey(path)) : live.makeID(), path: path,
            query: query)
        let feed = query.map { query in
            feeds.take(QueryFeeds.Key(path: path, query: query), for: listener.id) {
                makeFeed(of: path, matching: query, maxBytes: maxBytes)
            }
        }
        began(listener)
        do throws(TreeError) {
            if let feed { return try await feed.join(listener.id, on: outlet) }
            return try await start(at: path, maxBytes: maxBytes)
        } catch {
            stopListening(listener)
            throw error
        }
    }

    /// Ends a listener; events that are underway may still come.
    public func stopListening(_ listener: LiveListener) {
        if let query = listener.query {
            feeds.release(QueryFeeds.Key(path: listener.path, query: query), listener.id)
        } else {
            live.remove(listener.id, at: StorageFormat.dataKey(listener.path))
        }
    }

    private func makeFeed(of path: TreePath, matching query: TreeQuery, maxBytes: Int) -> QueryFeed {
        QueryFeed { [weak self] () async throws(TreeError) in
            guard let self else { throw TreeError.closed }
            return try await read { snapshot throws(TreeError) in
                let json = try snapshot.json(of: path, matching: query)
                guard json.count <= maxBytes else {
                    throw TreeError(
                        .tooLarge, "what the query takes has more than \(maxBytes) bytes", path: path,
                        hint: "listen to fewer children")
                }
                return QueryFeed.Reading(
                    window: try snapshot.window(of: path, matching: query), json: json, token: try snapshot.token)
            }
        }
    }

    private func start(at path: TreePath, maxBytes: Int) async throws(TreeError) -> LiveEvent {
        try await read { snapshot throws(TreeError) in
            var json: [UInt8] = []
            let check = { (piece: [UInt8]) throws(TreeError) in
                json += piece
                guard json.count <= maxBytes else {
                    throw TreeError(
                        .tooLarge, "what is there has more than \(maxBytes) bytes", path: path,
                        hint: "listen further down in the tree")
                }
            }
            let rest = try snapshot.json(of: path, drain: check)
            try check(rest)
            return LiveEvent(initial: json, token: try snapshot.token)
        }
    }
}
