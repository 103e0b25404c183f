extension Precondition {
    /// The precondition with its value as the store keeps values.
    func normalised() throws(TreeError) -> Precondition {
        guard case .equals(let path, let value) = self else { return self }
        return .equals(path, try value?.normalised(at: path) ?? nil)
    }

    /// Throws if it does not hold.
    ///
    /// - Throws: ``TreeError`` with code `precondition_failed`, or the engine's failure.
    func check(in snapshot: TreeSnapshot) throws(TreeError) {
        let (path, complaint): (TreePath, String) =
            switch self {
            case .exists(let path): (path, try snapshot.exists(path) ? "" : "nothing is there")
            case .absent(let path): (path, try snapshot.exists(path) ? "something is there" : "")
            case .equals(let path, let value):
                (path, try snapshot.get(path) == value ? "" : "the value there is another")
            case .etag(let path, let etag):
                (path, try snapshot.etag(of: path) == etag ? "" : "the value there has another ETag")
            case .nodeHash(let path, let hash):
                (path, try path.nodeHash(in: snapshot.engine) == hash ? "" : "the value there has another hash")
            }
        guard complaint.isEmpty else {
            throw TreeError(.preconditionFailed, complaint, path: path, hint: "read again and decide anew")
        }
    }
}
