import Rules
package import TreeModel

/// The identity for which data is read or written, subject to the rules of the tree.
package struct Requester: Sendable {
    /// The variable `auth` of the rules; nil for an unauthenticated requester.
    package let auth: JSONValue?
    /// Whether everything is allowed in a tree without rules; if false, nothing is.
    package let mayUseTreesWithoutRules: Bool

    package init(auth: JSONValue?, mayUseTreesWithoutRules: Bool) {
        self.auth = auth
        self.mayUseTreesWithoutRules = mayUseTreesWithoutRules
    }

    fileprivate func subject(at timestamp: Timestamp) -> RulesSubject {
        RulesSubject(auth: auth, now: timestamp)
    }
}

// MARK: Writes

extension EncodedUpdate {
    /// Checks the update against the rules of the trees that it writes to. Each path is checked separately, against the
    /// states before and after the whole update.
    ///
    /// - Parameters:
    ///   - writes: The writes, with server values resolved.
    ///   - rules: Returns the rules of a tree.
    /// - Throws: ``TreeError`` with code `permission_denied`.
    func judge(
        _ writes: [EncodedWrite], in snapshot: any EngineSnapshot, timestamp: Timestamp,
        rules: (Namespace) throws(TreeError) -> TreeRules?
    ) throws(TreeError) {
        guard let requester else { return }
        let stored = StoredRows(snapshot: snapshot)
        let updated = try UpdatedRows(writes, over: snapshot)
        let subject = requester.subject(at: timestamp)
        for write in writes {
            let node = write.isPriority ? Array(write.key.dropLast()) : write.key
            let path = try StoreFormat.path(ofDataKey: node.span)
            // The service itself adds writes in its reserved trees; rules do not apply to them.
            guard !path.namespace.isReserved else { continue }
            guard let rules = try rules(path.namespace) else {
                guard requester.mayUseTreesWithoutRules else { throw .permissionDenied(path) }
                continue
            }
            let prefix = StoreFormat.prefix(of: path.namespace)
            let verdict = try rules.document.judgeWrite(
                at: path.keys.map(\.string), by: subject, before: RuledNode(rootOf: prefix, in: stored),
                after: RuledNode(rootOf: prefix, in: updated))
            guard verdict.isAllowed else { throw .permissionDenied(path, verdict) }
        }
    }
}

extension EncodedUpdate {
    /// Checks the update against the current state, before its turn in a transaction.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied` or `invalid_value`.
    func judge(
        beforeTurnIn snapshot: any EngineSnapshot, timestamp: Timestamp, rules: RulesCache
    ) throws(TreeError) {
        guard requester != nil else { return }
        let writes = try writes.resolved(
            in: snapshot, timestamp: timestamp, token: SyncToken(sequence: 0), isStaged: false)
        try judge(writes, in: snapshot, timestamp: timestamp) {
            namespace throws(TreeError) in try rules.rules(of: namespace, in: snapshot)
        }
    }
}

// MARK: Reads

extension Requester {
    /// Checks a read of everything at a path, or of the part that a query selects.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied`.
    package func judgeRead(
        of path: TreePath, matching query: TreeQuery? = nil, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        try judgeRead(of: path, matching: query, in: snapshot, as: StoredRows(snapshot: snapshot.engine))
    }

    /// Checks the same read against the given rows of the state.
    func judgeRead(
        of path: TreePath, matching query: TreeQuery?, in snapshot: TreeSnapshot, as rows: any RuledRows
    ) throws(TreeError) {
        guard let rules = try snapshot.rules.rules(of: path.namespace, in: snapshot.engine) else {
            guard mayUseTreesWithoutRules else { throw .permissionDenied(path) }
            return
        }
        let root = RuledNode(rootOf: StoreFormat.prefix(of: path.namespace), in: rows)
        let verdict = try rules.document.judgeRead(
            at: path.keys.map(\.string), matching: query.map(RulesQuery.init),
            by: subject(at: WallClock.now()), in: root)
        guard verdict.isAllowed else { throw .permissionDenied(path, verdict) }
    }
}

extension Requester {
    /// Refuses a write that no rule can grant, whatever its value, before its body has been received.
    ///
    /// - Parameter isUpdate: Whether the request writes nodes below the path instead of the node itself.
    /// - Throws: ``TreeError`` with code `permission_denied`.
    package func judgeWriteBeforehand(
        at path: TreePath, isUpdate: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        let mayBeGranted =
            try snapshot.rules.rules(of: path.namespace, in: snapshot.engine).map { rules in
                rules.document.root.mayGrantWrite(
                    at: path.keys.map(\.string), isUpdate: isUpdate, isByNobody: auth == nil)
            } ?? mayUseTreesWithoutRules
        guard mayBeGranted else { throw .permissionDenied(path) }
    }
}

extension TreeError {
    /// Creates the error for a forbidden access. The reason is for the log; clients do not receive it.
    static func permissionDenied(_ path: TreePath, because reason: String) -> TreeError {
        let hint = "\(reason.prefix(1).uppercased())\(reason.dropFirst())."
        return TreeError(.permissionDenied, "Permission denied", path: path, hint: hint)
    }

    fileprivate static func permissionDenied(_ path: TreePath, _ verdict: RulesVerdict? = nil) -> TreeError {
        permissionDenied(path, because: verdict?.explanation ?? "the tree has no rules")
    }
}
