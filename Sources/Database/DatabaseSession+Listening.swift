package import Tree

/// What is to be listened to: the value at a path, or what a query takes of it.
package struct ListenRequest: Sendable {
    let path: TreePath
    let query: TreeQuery?
    let unindexed: UnindexedQueries
    let knownHash: String?

    /// - Parameters:
    ///   - query: Which children are listened to; nil for the whole node.
    ///   - unindexed: What becomes of a query for which the rules name no index.
    ///   - knownHash: The hash of what the listener has already, as clients make it; nil for nothing.
    package init(
        at path: TreePath, matching query: TreeQuery? = nil, unindexed: UnindexedQueries = .refused,
        knownHash: String? = nil
    ) {
        self.path = path
        self.query = query
        self.unindexed = unindexed
        self.knownHash = knownHash
    }
}

extension ListenRequest {
    /// The text of the value that a listener begins with; nil when the listener has it already.
    fileprivate func start(
        _ value: InitialValue, in frame: TextFrame, _ spool: ResponseSpool
    ) throws(TreeError) -> SpooledBody.Finished? {
        if let known = knownHash, (try? value.nodeHash()) == known { return nil }
        let text = SpooledBody(in: frame, spool: spool)
        let rest = try value.json { piece throws(TreeError) in try text.append(piece) }
        try text.append(rest)
        return try text.finish()
    }
}

/// What a listener begins with.
package struct ListenStart: Sendable {
    /// The value; nil when the listener has it already.
    package let value: SpooledBody.Finished?
    /// The position in the change log that the value stands for.
    package let token: SyncToken
    /// Whether the query is answered without reading all children; true without a query.
    package let isIndexed: Bool

    package init(value: SpooledBody.Finished?, token: SyncToken, isIndexed: Bool = true) {
        (self.value, self.token, self.isIndexed) = (value, token, isIndexed)
    }
}

extension DatabaseSession {
    /// Begins to notify a receiver of every change of what is listened to, with the same promises as the store's
    /// `listen`.
    ///
    /// - Parameters:
    ///   - frame: What stands around the value at the beginning.
    ///   - receiver: Who is sent the events; one receiver may serve any number of listeners.
    ///   - began: Is given the listener before the first event can come to it.
    /// - Throws: `TreeError` with the code `index_not_defined`, `too_many_reads` `permission_denied` or `cancelled`, or the
    ///   engine's failure.
    package func listen(
        to request: ListenRequest, in frame: TextFrame, notifying receiver: any EventReceiver,
        began: (Listener) -> Void
    ) async throws(TreeError) -> ListenStart {
        var begun: Listener?
        let answer: (start: SpooledBody.Finished?, token: SyncToken)
        do throws(TreeError) {
            answer = try await ReadingClient.read(for: reader) { () async throws(TreeError) in
                try await database.tree.listen(
                    at: request.path, matching: request.query, for: requester, notifying: receiver,
                    unindexed: request.unindexed,
                    began: { listener in
                        begun = listener
                        if let requester { database.listeners.add(listener, for: requester, notifying: receiver) }
                        began(listener)
                    }
                ) { [spool = database.spool] value throws(TreeError) in try request.start(value, in: frame, spool) }
            }
        } catch {
            if let begun { database.listeners.remove(begun) }
            throw error
        }
        if let begun { database.listeners.judgeSoon(begun.id) }
        database.trace("listened to", by: identity, at: request.path, answer.token)
        return ListenStart(
            value: answer.start, token: answer.token, isIndexed: await database.isIndexed(request))
    }

    /// Goes on listening as whoever this session is of, who is judged anew.
    package func takeOver(_ listener: Listener, notifying receiver: any EventReceiver) {
        database.listeners.remove(listener)
        guard let requester else { return }
        database.listeners.add(listener, for: requester, notifying: receiver)
        database.listeners.judgeSoon(listener.id)
    }

    /// Ends a listener; events that are underway may still come.
    package func stopListening(_ listener: Listener) {
        database.listeners.remove(listener)
        database.tree.stopListening(listener)
    }
}

extension RealtimeDatabase {
    /// Waits until what has been committed so far has come to the receivers of some listeners; costs nothing when nothing is
    /// underway.
    package func waitForEvents(of listeners: some Sequence<Listener>) async { await listeners.waitForEvents(in: tree) }

    fileprivate func isIndexed(_ request: ListenRequest) async -> Bool {
        guard let query = request.query, request.unindexed == .scanned else { return true }
        return (try? await tree.snapshot { snapshot in try query.isIndexed(at: request.path, in: snapshot) }) ?? true
    }
}
