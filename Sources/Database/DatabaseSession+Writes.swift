package import API
import Access
import Tree
package import TreeModel

extension DatabaseSession {
    /// Begins to replace what a path names: a value, or a priority.
    ///
    /// - Throws: `Failure` with the code `permission_denied`.
    package func set(_ path: DatabasePath, limit: WriteSizeLimit = .unlimited) throws(Failure) -> DatabaseWrite {
        try judgeReplacing(path)
        return write(path.isPriority ? .priority : .value, at: path, limit: limit)
    }

    /// Begins to replace what the members of an object name, by their paths below a node; `null` deletes the node.
    ///
    /// - Throws: `Failure` with the code `invalid_path` for a priority.
    package func update(_ path: DatabasePath, limit: WriteSizeLimit = .unlimited) throws(Failure) -> DatabaseWrite {
        try Self.refusePriority(path)
        return write(.update, at: path, limit: limit)
    }

    /// A key for a new child: greater than all keys that were made before.
    package func makeKey() -> PushID { database.ids.next() }

    /// Begins to add a child to a node.
    ///
    /// - Parameter key: The key of the child; see ``makeKey()``.
    /// - Throws: `Failure` with the code `invalid_path` for a priority.
    package func push(
        to path: DatabasePath, as key: PushID, limit: WriteSizeLimit = .unlimited
    ) throws(Failure) -> DatabaseWrite {
        try Self.refusePriority(path)
        return write(.value, at: DatabasePath(path.node / key), limit: limit)
    }

    /// Deletes what a path names: a value with all that is below, or a priority.
    ///
    /// - Parameter etag: What the node's ETag has to be; nil for no condition.
    /// - Throws: `Failure` with the code `permission_denied`; `TreeError` with the code `precondition_failed`, or the engine's
    ///   failure.
    package func remove(_ path: DatabasePath, ifETag etag: String? = nil) async throws -> WriteReceipt {
        let update =
            path.isPriority
            ? try JSONUpdate(.priority, at: path.node, json: "null".utf8) : JSONUpdate(deleting: path.node)
        return try await commit(update, at: path, ifETag: etag)
    }

    /// Commits a write whose text has come; it is durable when this returns.
    ///
    /// - Parameters:
    ///   - etag: What the node's ETag has to be; nil for no condition.
    ///   - hash: What the node's hash has to be, as clients make it; nil for no condition.
    /// - Throws: `Failure` with the code `permission_denied`, `no_data` or `too_many_requests`; `TreeError` with the code
    ///   `precondition_failed`, `invalid_json`, `conflicting_paths`, `too_large` or `invalid_value`, or the engine's failure.
    package func commit(
        _ write: consuming DatabaseWrite, ifETag etag: String? = nil, ifHash hash: String? = nil
    ) async throws -> WriteReceipt {
        let update = try write.finish()
        return try await commit(update, at: write.path, ifETag: etag, ifHash: hash, share: write.share)
    }

    /// Refuses a write that no rule can grant, whatever is written: worth a look before a long text comes.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`, or the engine's failure.
    package func judgeBeforehand(_ path: DatabasePath, isUpdate: Bool) async throws {
        guard let requester else { return }
        try await database.tree.snapshot { snapshot in
            try requester.judgeWriteBeforehand(at: path.node, isUpdate: isUpdate, in: snapshot)
        }
    }

    /// The one way of a session into the store: each write is judged here by who writes it.
    private func commit(
        _ update: JSONUpdate, at path: DatabasePath, ifETag etag: String?, ifHash hash: String? = nil,
        share: ByteBudget.Share? = nil
    ) async throws -> WriteReceipt {
        if update.replacesPlace { try judgeReplacing(path) }
        if client != nil { try count(try update.cost(in: database.tree)) }
        var update = update
        update.requester = requester
        var preconditions: [Precondition] = []
        if let etag { preconditions.append(.etag(path.node, etag)) }
        if let hash { preconditions.append(.nodeHash(path.node, hash)) }
        let receipt = try await database.tree.update(update, if: preconditions)
        database.trace("written", by: identity, at: path.node, receipt.token)
        return WriteReceipt(receipt, holding: share)
    }

    private func write(_ form: JSONUpdate.Form, at path: DatabasePath, limit: WriteSizeLimit) -> DatabaseWrite {
        DatabaseWrite(form, at: path, limit: limit, share: database.budget.share(for: client))
    }

    /// Refuses to replace or delete the service's own tree as a whole for anybody but its owner, unless the tree is a
    /// throw-away one: all posts would be gone.
    func judgeReplacing(_ path: DatabasePath) throws(Failure) {
        guard path.node == .root, !path.isPriority, identity != .admin, !database.isThrowAway else { return }
        throw .permissionDenied(
            hint: """
                only the owner replaces or deletes the service's own tree as a whole: over the Unix socket, with the \
                database's secret, or with "Authorization: Bearer owner" from this machine; ns=NAME is a tree of its own
                """)
    }

    private static func refusePriority(_ path: DatabasePath) throws(Failure) {
        guard !path.isPriority else { throw DatabasePath.invalid("a priority is written by PUT and DELETE") }
    }
}
