package import Tree

/// A request to listen to the value at a path, or to the result of a query.
package struct ListenRequest: Sendable {
    let path: TreePath
    let query: TreeQuery?
    let unindexed: UnindexedQueries
    let knownHash: String?

    /// - Parameters:
    ///   - query: The query that selects the children; nil for the whole node.
    ///   - unindexed: The behaviour for a query without an index in the rules.
    ///   - knownHash: The hash of the value that the listener already has, as clients compute it; nil for none.
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
    /// Returns the text of the initial value; nil if the listener already has it.
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

/// The initial state of a listener.
package struct ListenStart: Sendable {
    /// The value; nil if the listener already has it.
    package let value: SpooledBody.Finished?
    /// The position of the value in the change log.
    package let token: SyncToken
    /// Whether the query is answered from an index, without reading all children; true without a query.
    package let isIndexed: Bool

    package init(value: SpooledBody.Finished?, token: SyncToken, isIndexed: Bool = true) {
        (self.value, self.token, self.isIndexed) = (value, token, isIndexed)
    }
}

extension DatabaseSession {
    /// Starts to notify a receiver of every change, with the same guarantees as the store's `listen`.
    ///
    /// - Parameters:
    ///   - frame: The text around the initial value.
    ///   - receiver: The receiver of the events; one receiver may serve any number of listeners.
    ///   - began: Called with the listener before its first event is sent.
    /// - Throws: `TreeError` with the code `index_not_defined`, `too_many_reads`, `permission_denied` or `cancelled`,
    ///   or the engine's failure.
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

    /// Continues a listener with the identity of this session, which is checked against the rules again.
    package func takeOver(_ listener: Listener, notifying receiver: any EventReceiver) {
        database.listeners.remove(listener)
        guard let requester else { return }
        database.listeners.add(listener, for: requester, notifying: receiver)
        database.listeners.judgeSoon(listener.id)
    }

    /// Ends a listener; events that are already on their way may still arrive.
    package func stopListening(_ listener: Listener) {
        database.listeners.remove(listener)
        database.tree.stopListening(listener)
    }
}

extension RealtimeDatabase {
    /// Waits until the events of all commits so far have reached the receivers of some listeners; returns at once if
    /// there are none.
    package func waitForEvents(of listeners: some Sequence<Listener>) async { await listeners.waitForEvents(in: tree) }

    fileprivate func isIndexed(_ request: ListenRequest) async -> Bool {
        guard let query = request.query, request.unindexed == .scanned else { return true }
        return (try? await tree.snapshot { snapshot in try query.isIndexed(at: request.path, in: snapshot) }) ?? true
    }
}
