extension EncodedUpdate {
    /// Checks that all preconditions hold, and before that whether the requester may read their nodes, if that is
    /// required.
    ///
    /// - Throws: ``TreeError`` with code `permission_denied` or `precondition_failed`, or the engine's failure.
    func checkPreconditions(in snapshot: TreeSnapshot) throws(TreeError) {
        if judgesConditions, let requester {
            for precondition in preconditions where !precondition.path.namespace.isReserved {
                try requester.judgeRead(of: precondition.path, in: snapshot)
            }
        }
        for precondition in preconditions { try precondition.check(in: snapshot) }
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
