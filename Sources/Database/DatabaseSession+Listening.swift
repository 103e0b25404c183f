package import Tree

/// What is to be listened to: the value at a path, or what a query takes of it.
package struct ListenRequest: Sendable {
    let path: TreePath
    let query: TreeQuery?

    /// - Parameter query: Which children are listened to; nil for the whole node.
    package init(at path: TreePath, matching query: TreeQuery? = nil) {
        self.path = path
        self.query = query
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
    /// - Returns: The value at the beginning, and the position in the change log that it stands for.
    /// - Throws: `TreeError` with the code `index_not_defined`, `too_many_reads` `permission_denied` or `cancelled`, or the
    ///   engine's failure.
    package func listen(
        to request: ListenRequest, in frame: TextFrame, notifying receiver: any EventReceiver,
        began: (Listener) -> Void
    ) async throws(TreeError) -> (start: SpooledBody.Finished, token: SyncToken) {
        var begun: Listener?
        let answer: (start: SpooledBody.Finished, token: SyncToken)
        do throws(TreeError) {
            answer = try await database.tree.listen(
                at: request.path, matching: request.query, for: requester, notifying: receiver,
                began: { listener in
                    begun = listener
                    if let requester { database.listeners.add(listener, for: requester, notifying: receiver) }
                    began(listener)
                }
            ) { [spool = database.spool] value throws(TreeError) in
                let text = SpooledBody(in: frame, spool: spool)
                let rest = try value.json { piece throws(TreeError) in try text.append(piece) }
                try text.append(rest)
                return try text.finish()
            }
        } catch {
            if let begun { database.listeners.remove(begun) }
            throw error
        }
        if let begun { database.listeners.judgeSoon(begun.id) }
        database.trace("listened to", by: identity, at: request.path, answer.token)
        return answer
    }

    /// Ends a listener; events that are underway may still come.
    package func stopListening(_ listener: Listener) {
        database.listeners.remove(listener)
        database.tree.stopListening(listener)
    }
}
