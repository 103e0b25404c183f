extension TreeError {
    /// The failure of a write that a crash may bring back: its commit lies on a disk that takes nothing more.
    var withOpenOutcome: TreeError {
        TreeError(
            code, "\(message); a crash before the disk is whole may bring the update back", path: path, hint: hint,
            cause: cause)
    }

    /// Whether an update is at fault, and not the store.
    var isRefusal: Bool { [.preconditionFailed, .invalidValue, .permissionDenied, .tooLarge].contains(code) }

    static func corrupt(_ message: String) -> TreeError {
        TreeError(.corrupt, message, hint: hintOfDamage)
    }

    static let hintOfDamage = "restore the store from a backup"

    static let closed = TreeError(.closed, "the store has been closed")
}

extension Result where Failure == any Error {
    /// The result of a caller's body. Damage that it has met is that of the read, which is made once more.
    func throwingDamage() throws(TreeError) -> Self {
        if case .failure(let error as TreeError) = self, error.isDamage { throw error }
        return self
    }
}
