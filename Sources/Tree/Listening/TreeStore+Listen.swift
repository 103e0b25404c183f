extension TreeStore {
    /// The largest initial value of a listener, in bytes of JSON.
    public static let maxListenedBytes = 64 << 20

    /// Notifies a receiver of every change at a path from now on, and returns a start value that a function derives
    /// from the current value.
    ///
    /// The receiver may get events before this returns. To avoid losses and duplicates, hold back events whose token is
    /// greater than that of the start, and drop the others. With a query, several changes may become one event if the
    /// store must be read (``QuerySubscription``).
    ///
    /// - Parameters:
    ///   - path: The path to listen to.
    ///   - query: The query that selects children; nil for the whole value.
    ///   - requester: The identity whose rights the rules check; nil for the service itself.
    ///   - receiver: The receiver of the events.
    ///   - unindexed: The treatment of a query for which the rules define no index.
    ///   - maxBytes: The largest initial value, in bytes of JSON.
    ///   - began: Receives the listener before its first event.
    ///   - start: Receives the current value, on a thread that may block. It may be called again if an earlier call's
    ///     result cannot be used.
    /// - Returns: The result of `start`, and its position in the change log.
    /// - Throws: ``TreeError`` with code `too_large`, `index_not_defined` or `permission_denied`, the error of `start`,
    ///   or the engine's failure; there is no listener then.
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
                // Existing listeners receive each earlier change separately before the window is read.
                await commits.waitForDelivery()
                let (reading, token) = try await subscription.join(id, notifying: receiver)
                // Writing the text may block, so it runs on a reading thread.
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

    /// Ends a listener; events in progress may still arrive.
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
                        .tooLarge, "the result of the query has more than \(maxBytes) bytes", path: path,
                        hint: "Listen to fewer children.")
                }
                let window = try snapshot.window(of: path, matching: query, unindexed: unindexed)
                return QuerySubscription.Reading(
                    window: window, followed: try FollowedWindow(window, of: query, at: path), json: json,
                    token: try snapshot.token)
            }
        }
    }
}

/// The value at a path when a listener begins.
public struct InitialValue {
    let read: (_ drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8]
    let hash: () throws(TreeError) -> String

    /// Returns the value as JSON text, in pieces; only the last piece is returned.
    public func json(drain: ([UInt8]) throws(TreeError) -> Void) throws(TreeError) -> [UInt8] { try read(drain) }

    /// Returns the hash of the value, as clients compute it; see ``NodeHashBuilder``.
    package func nodeHash() throws(TreeError) -> String { try hash() }
}

extension TreeSnapshot {
    /// Returns the value at a path as JSON text of at most `maxBytes`; see ``json(of:_:drain:)``.
    fileprivate func json(
        of path: TreePath, _ form: JSONForm, maxBytes: Int, drain: ([UInt8]) throws(TreeError) -> Void
    ) throws(TreeError) -> [UInt8] {
        var byteCount = 0
        let check = { (piece: [UInt8]) throws(TreeError) in
            byteCount += piece.count
            guard byteCount <= maxBytes else {
                throw TreeError(
                    .tooLarge, "the value has more than \(maxBytes) bytes", path: path,
                    hint: "Listen at a deeper path.")
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
    /// Waits until all changes that have been committed so far have been delivered to the listeners' receivers. The
    /// sequence must include the listeners with queries; those without a query may be left out.
    ///
    /// It returns at once if nothing is in progress.
    package func waitForEvents(in tree: TreeStore) async {
        await tree.commits.waitForDelivery()
        for listener in self {
            guard let query = listener.query else { continue }
            let key = QuerySubscriptions.Key(path: listener.path, query: query, unindexed: listener.unindexed)
            await tree.queries.subscription(key)?.waitUntilRefreshed()
        }
    }
}
