extension EncodedUpdate {
    /// Checks that all preconditions hold. If the requester must be allowed to read their nodes, this is checked first,
    /// and the nodes may have a limited size.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied`, `precondition_failed` or `too_large`, or the engine's
    ///   failure.
    func checkPreconditions(in snapshot: TreeSnapshot) throws(TreeError) {
        guard judgesConditions, let requester else {
            for precondition in preconditions { try precondition.check(in: snapshot) }
            return
        }
        _ = try requester.check(preconditions, in: snapshot)
    }
}

extension JSONUpdate {
    /// Checks the conditions before the change has its turn in a transaction, which checks them again. Nothing is
    /// checked if the requester need not be allowed to read their nodes.
    ///
    /// - Returns: The number of rows that are read for this.
    /// - Throws: ``TreeError`` with code `permission_denied`, `precondition_failed` or `too_large`, or the engine's
    ///   failure.
    package func checkConditions(in snapshot: TreeSnapshot) throws(TreeError) -> Int {
        guard judgesConditions, let requester else { return 0 }
        return try requester.check(conditions, in: snapshot)
    }
}

extension Requester {
    /// Checks that the requester may read the nodes of conditions, and that the conditions hold.
    ///
    /// - Returns: The number of rows that the conditions read.
    fileprivate func check(_ conditions: [Precondition], in snapshot: TreeSnapshot) throws(TreeError) -> Int {
        for condition in conditions where !condition.path.namespace.isReserved {
            try judgeRead(of: condition.path, in: snapshot)
        }
        let allowance = ReadAllowance.ofConditions()
        let limited = allowance.limit(snapshot)
        for condition in conditions { try condition.check(in: limited) }
        return allowance.rowCount
    }
}

extension ReadAllowance {
    private static let (maxRowsOfConditions, maxBytesOfConditions) = (10_000, 1 << 20)

    /// Returns the allowance of all conditions of one update; other writers wait while they are checked.
    package static func ofConditions() -> ReadAllowance {
        ReadAllowance(
            rows: maxRowsOfConditions, bytes: maxBytesOfConditions,
            orThrowing: TreeError(
                .tooLarge,
                "the conditions compare more than \(maxRowsOfConditions) values, or \(maxBytesOfConditions >> 20) MiB",
                hint: "Name smaller nodes in the conditions."))
    }
}

extension Precondition {
    /// The node of the precondition.
    fileprivate var path: TreePath {
        switch self {
        case .exists(let path), .absent(let path), .equals(let path, _), .etag(let path, _), .nodeHash(let path, _):
            path
        }
    }

    /// Returns the precondition with its value in the form in which the store keeps values.
    func normalised() throws(TreeError) -> Precondition {
        guard case .equals(let path, let value) = self else { return self }
        return .equals(path, try value?.normalised(at: path) ?? nil)
    }

    /// Checks that the precondition holds.
    ///
    /// - Throws: ``TreeError`` with code `precondition_failed`, or the engine's failure.
    fileprivate func check(in snapshot: TreeSnapshot) throws(TreeError) {
        let (path, complaint): (TreePath, String) =
            switch self {
            case .exists(let path): (path, try snapshot.exists(path) ? "" : "no value exists")
            case .absent(let path): (path, try snapshot.exists(path) ? "a value exists" : "")
            case .equals(let path, let value):
                (path, try snapshot.get(path) == value ? "" : "the value is different")
            case .etag(let path, let etag):
                (path, try snapshot.etag(of: path) == etag ? "" : "the value has a different ETag")
            case .nodeHash(let path, let hash):
                (path, try path.nodeHash(in: snapshot.engine) == hash ? "" : "the value has a different hash")
            }
        guard complaint.isEmpty else {
            throw TreeError(.preconditionFailed, complaint, path: path, hint: "Read the value again and retry.")
        }
    }
}
