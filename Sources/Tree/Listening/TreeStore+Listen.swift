extension TreeStore {
    /// The largest value that a listener may begin with, in bytes of JSON.
    public static let maxListenedBytes = 64 << 20

    /// Begins to notify a receiver of every change at a path, and makes of what is there whatever the listener needs.
    ///
    /// Events may come to the receiver before this returns. To lose and double none, hold back those whose token is
    /// greater than that of the start, and drop the others. With a query, changes may be one event where the store has
    /// to be read (``QuerySubscription``).
    ///
    /// - Parameters:
    ///   - path: What to listen to.
    ///   - query: Which children of it; nil for all that is there.
    ///   - requester: For whom it is, if the rules allow it; nil for the service itself.
    ///   - receiver: Who is sent the events.
    ///   - unindexed: What becomes of a query for which the rules name no index.
    ///   - maxBytes: The largest value that is read as a start.
    ///   - began: Is given the listener before the first event can come to it.
    ///   - start: Is given what is there, on a thread that may wait for the disk; it may be called anew, after a call
    ///     that came to nothing.
    /// - Returns: What `start` returned, and the position in the change log that it stands for.
    /// - Throws: ``TreeError`` with code `too_large`, `index_not_defined` or `permission_denied`, what `start` throws, or
    ///   the engine's failure; nobody listens then.
    package func listen<Start: Sendable>(
        at path: TreePath, matching query: TreeQuery? = nil, for requester: Requester? = nil,
        notifying receiver: any EventReceiver, unindexed: UnindexedQueries = .refused,
        maxBytes: Int = maxListenedBytes, began: (Listener) -> Void,
        start: @escaping @Sendable (InitialValue) throws(TreeError) -> Start
    ) async throws(TreeError) -> (start: Start, token: SyncToken) {
        try path.checkDepth()
        let node = StoreFormat.dataKey(path)
        let id = query == nil ? commits.add(.receiver(receiver), at: node) : commits.makeID()
        let listener = Listener(id: id, path: path, query: query, unindexed: unindexed)
        let subscription = query.map { query in
            queries.take(QuerySubscriptions.Key(path: path, query: query, unindexed: unindexed), for: id) {
                makeSubscription(of: path, matching: query, unindexed, maxBytes: maxBytes)
            }
        }
        began(listener)
        do throws(TreeError) {
            if let subscription {
                try await read { snapshot throws(TreeError) in
                    try requester?.judgeRead(of: path, matching: query, in: snapshot)
                }
                // Those who listen already are told one change after the other before the window is read.
                await commits.waitForDelivery()
                let (reading, token) = try await subscription.join(id, notifying: receiver)
                // A text for the disk is written by a thread that may wait for it.
                return try await read { snapshot throws(TreeError) in
                    let value = InitialValue {
                        _ throws(TreeError) in
                        try reading.json(receiver.form)
                    } hash: { () throws(TreeError) in
                        try reading.window.nodeHash()
                    }
                    return (try start(value), token)
                }
            }
            await commits.waitForWrites(above: node)
            return try await read { snapshot throws(TreeError) in
                try requester?.judgeRead(of: path, in: snapshot)
                let value = InitialValue { drain throws(TreeError) in
                    try snapshot.json(of: path, receiver.form, maxBytes: maxBytes, drain: drain)
                } hash: { () throws(TreeError) in
                    try path.nodeHash(in: snapshot.engine)
                }
                return (try start(value), try snapshot.token)
            }
        } catch {
            stopListening(listener)
            throw error
        }
    }

    /// Ends a listener; events that are underway may still come.
    public func stopListening(_ listener: Listener) {
        if let query = listener.query {
            queries.release(
                QuerySubscriptions.Key(path: listener.path, query: query, unindexed: listener.unindexed), listener.id)
        } else {
            commits.remove(listener.id, at: StoreFormat.dataKey(listener.path))
        }
    }

    private func makeSubscription(
        of path: TreePath, matching query: TreeQuery, _ unindexed: UnindexedQueries, maxBytes: Int
    ) -> QuerySubscription {
        QuerySubscription { [weak self] () async throws(TreeError) in
            guard let self else { throw TreeError.closed }
            return try await read { snapshot throws(TreeError) in
                let json = try snapshot.json(of: path, matching: query, unindexed: unindexed)
                guard json.count <= maxBytes else {
                    throw TreeError(
                        .tooLarge, "what the query takes has more than \(maxBytes) bytes", path: path,
                        hint: "listen to fewer children")
                }
                let window = try snapshot.window(of: path, matching: query, unindexed: unindexed)
                return QuerySubscription.Reading(
                    window: window, followed: try FollowedWindow(window, of: query, at: path), json: json,
                    token: try snapshot.token)
            }
        }
    }
}

/// The value at a path when listening begins.
public struct InitialValue {
    let read: (_ drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8]
    let hash: () throws(TreeError) -> String

    /// The value as JSON text, in pieces; only the last one is returned.
    public func json(drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8] { try read(drain) }

    /// The hash of the value, as clients make it of what they have; see ``NodeHashBuilder``.
    package func nodeHash() throws(TreeError) -> String { try hash() }
}

extension TreeSnapshot {
    /// The value at a path as JSON text of at most `maxBytes`; see ``json(of:_:drain:)``.
    fileprivate func json(
        of path: TreePath, _ form: JSONForm, maxBytes: Int, drain: ([UInt8]) throws(TreeError) -> Void
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
            try json(of: path, form) { piece throws(TreeError) in
                try check(piece)
                try drain(piece)
            }
        }
        try check(rest)
        return rest
    }
}

extension Sequence<Listener> {
    /// Waits until all changes that have been committed so far have come to the receivers of listeners. These are those with
    /// queries: whoever listens without one need not be among them.
    ///
    /// Costs nothing when there is nothing underway.
    package func waitForEvents(in tree: TreeStore) async {
        await tree.commits.waitForDelivery()
        for listener in self {
            guard let query = listener.query else { continue }
            let key = QuerySubscriptions.Key(path: listener.path, query: query, unindexed: listener.unindexed)
            await tree.queries.subscription(key)?.waitUntilRefreshed()
        }
    }
}
