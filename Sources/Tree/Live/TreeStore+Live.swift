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
        let (json, token) = try await listen(
            at: path, matching: query, on: outlet, maxBytes: maxBytes, began: began
        ) { value throws(TreeError) in
            var json: [UInt8] = []
            let rest = try value.json { piece in json += piece }
            return json + rest
        }
        return LiveEvent(initial: json, token: token)
    }

    /// Begins to listen, and makes of what is there whatever the listener needs.
    ///
    /// - Parameter start: Is given what is there, on a thread that may wait for the disk; it may be called anew, after a
    ///   call that came to nothing. The other parameters, and when events come, are those of
    ///   ``listen(at:matching:on:maxBytes:began:)``.
    /// - Returns: What `start` returned, and the position in the change log that it stands for.
    /// - Throws: What `start` throws, and what the other one throws; nobody listens then.
    public func listen<Start: Sendable>(
        at path: TreePath, matching query: TreeQuery? = nil, on outlet: any LiveOutlet, maxBytes: Int = maxLiveBytes,
        began: (LiveListener) -> Void, start: @escaping @Sendable (LiveValue) throws(TreeError) -> Start
    ) async throws(TreeError) -> (start: Start, token: SyncToken) {
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
            if let feed {
                let (json, token) = try await feed.join(listener.id, on: outlet)
                // A text for the disk is written by a thread that may wait for it.
                return try await read { _ throws(TreeError) in
                    (try start(LiveValue { _ throws(TreeError) in json }), token)
                }
            }
            return try await read { snapshot throws(TreeError) in
                let value = LiveValue { drain throws(TreeError) in
                    try snapshot.json(of: path, maxBytes: maxBytes, drain: drain)
                }
                return (try start(value), try snapshot.token)
            }
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
}

/// What is at a place when listening begins.
public struct LiveValue {
    let read: (_ drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8]

    /// The value as JSON text, in pieces; only the last one is returned.
    public func json(drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8] { try read(drain) }
}

extension TreeSnapshot {
    /// As ``json(of:_:drain:)``, of no more than so many bytes.
    fileprivate func json(
        of path: TreePath, maxBytes: Int, drain: ([UInt8]) throws(TreeError) -> Void
    ) throws(TreeError) -> [UInt8] {
        var byteCount = 0
        let check = { (piece: [UInt8]) throws(TreeError) in
            byteCount += piece.count
            guard byteCount <= maxBytes else {
                throw TreeError(
                    .tooLarge, "what is there has more than \(maxBytes) bytes", path: path,
                    hint: "listen further down in the tree")
            }
        }
        let rest = try withoutActuallyEscaping(drain) { drain throws(TreeError) in
            try json(of: path) { piece throws(TreeError) in
                try check(piece)
                try drain(piece)
            }
        }
        try check(rest)
        return rest
    }
}
