package import API
import Access
import Tree
package import TreeModel

extension DatabaseSession {
    /// Starts a write that replaces the target of a path: a value, or a priority.
    ///
    /// - Throws: `Failure` with the code `permission_denied`.
    package func set(_ path: DatabasePath, limit: WriteSizeLimit = .unlimited) throws(Failure) -> DatabaseWrite {
        try judgeReplacing(path)
        return write(path.isPriority ? .priority : .value, .set, at: path, limit: limit)
    }

    /// Starts a write that replaces the nodes named by the members of an object, whose keys are paths below a node;
    /// `null` deletes a node.
    ///
    /// - Throws: `Failure` with the code `invalid_path` for a priority.
    package func update(_ path: DatabasePath, limit: WriteSizeLimit = .unlimited) throws(Failure) -> DatabaseWrite {
        try Self.refusePriority(path)
        return write(.update, .update, at: path, limit: limit)
    }

    /// Generates a key for a new child, which is greater than all keys generated before.
    package func makeKey() -> PushID { database.ids.next() }

    /// Starts a write that adds a child to a node.
    ///
    /// - Parameter key: The key of the child; see ``makeKey()``.
    /// - Throws: `Failure` with the code `invalid_path` for a priority.
    package func push(
        to path: DatabasePath, as key: PushID, limit: WriteSizeLimit = .unlimited
    ) throws(Failure) -> DatabaseWrite {
        try Self.refusePriority(path)
        return write(.value, .push, at: DatabasePath(path.node / key), limit: limit)
    }

    /// Deletes the target of a path: a value with everything below it, or a priority.
    ///
    /// - Throws: `Failure` with the code `permission_denied` or `key_reused`; `TreeError` with the code
    ///   `precondition_failed`, or the engine's failure.
    package func remove(_ path: DatabasePath, on terms: WriteTerms = WriteTerms()) async throws -> WriteReceipt {
        let update =
            path.isPriority
            ? try JSONUpdate(.priority, at: path.node, json: "null".utf8) : JSONUpdate(deleting: path.node)
        return try await commit(update, .remove, at: path, on: terms)
    }

    /// Commits a write whose text is complete. Durable on return. If the same request with the same key has been
    /// committed before, nothing is written, and the receipt is that of the earlier write.
    ///
    /// - Throws: `Failure` with the code `permission_denied`, `no_data`, `too_many_requests` or `key_reused`; `TreeError`
    ///   with the code `precondition_failed`, `invalid_json`, `conflicting_paths`, `too_large` or `invalid_value`, or the
    ///   engine's failure.
    package func commit(
        _ write: consuming DatabaseWrite, on terms: WriteTerms = WriteTerms()
    ) async throws -> WriteReceipt {
        let update = try write.finish()
        return try await commit(update, write.kind, at: write.path, on: terms, share: write.share)
    }

    /// Refuses a write that the rules deny whatever its value is; this is worth checking before a long text is
    /// received.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`, or the engine's failure.
    package func judgeBeforehand(_ path: DatabasePath, isUpdate: Bool) async throws {
        guard let requester else { return }
        try await database.tree.snapshot { snapshot in
            try requester.judgeWriteBeforehand(at: path.node, isUpdate: isUpdate, in: snapshot)
        }
    }

    /// Commits an update. All writes of a session pass through here, where they are checked against its identity.
    private func commit(
        _ update: JSONUpdate, _ kind: WriteKind, at path: DatabasePath, on terms: WriteTerms,
        share: ByteBudget.Share? = nil
    ) async throws -> WriteReceipt {
        if update.replacesPlace { try judgeReplacing(path) }
        let key = try await terms.requestKey(of: update, kind, at: path, for: identity, in: database.requests)
        if let key, let earlier = try await key.receipt(of: update, kind, in: database.tree, holding: share) {
            return earlier
        }
        var made = update
        made.requester = requester
        terms.add(to: &made, at: path.node)
        let child = kind == .push ? path.node.lastKey : nil
        if let key { try made.note(key, making: child.flatMap { PushID($0.string) } ?? database.ids.next()) }
        do {
            let rows = try await made.checkConditions(in: database.tree, for: reader)
            if client != nil { try count(try update.cost(in: database.tree) + rows) }
            let receipt = try await database.tree.update(made)
            database.trace("written", by: identity, at: path.node, receipt.token)
            return WriteReceipt(receipt, childKey: child, holding: share)
        } catch let error as TreeError {
            // The same request may have been committed in the meantime: its effect is then a reason for a refusal.
            guard let key, !error.isTransient,
                let earlier = try await key.receipt(of: update, kind, in: database.tree, holding: share)
            else { throw error }
            return earlier
        }
    }

    private func write(
        _ form: JSONUpdate.Form, _ kind: WriteKind, at path: DatabasePath, limit: WriteSizeLimit
    ) -> DatabaseWrite {
        DatabaseWrite(form, kind, at: path, limit: limit, share: database.budget.share(for: client))
    }

    /// Refuses to replace or delete the whole tree of the service for all but its owner, because all posts would be
    /// lost; a tree that is discarded at the end anyway may be replaced.
    func judgeReplacing(_ path: DatabasePath) throws(Failure) {
        guard path.node == .root, !path.isPriority, identity != .admin, !database.isThrowAway else { return }
        throw .permissionDenied(
            hint: """
                Replace or delete the service's own tree as a whole only as its owner: over the Unix socket, with the \
                database's secret, or with "Authorization: Bearer owner" from this machine. Write ns=NAME for another \
                tree.
                """)
    }

    private static func refusePriority(_ path: DatabasePath) throws(Failure) {
        guard !path.isPriority else { throw DatabasePath.invalid("Write a priority by PUT or DELETE.") }
    }
}
