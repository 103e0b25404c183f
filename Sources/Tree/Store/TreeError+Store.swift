extension TreeError {
    /// The error of a failed write that a crash may bring back, because its commit is on a disk that accepts no more
    /// writes.
    var withOpenOutcome: TreeError {
        TreeError(
            code, "\(message); a crash before the disk is repaired may bring the update back", path: path, hint: hint,
            cause: cause)
    }

    /// Whether the error is caused by the update and not by the store.
    var isRefusal: Bool { [.preconditionFailed, .invalidValue, .permissionDenied, .tooLarge].contains(code) }

    static func corrupt(_ message: String) -> TreeError {
        TreeError(.corrupt, message, hint: hintOfDamage)
    }

    static let hintOfDamage = "Restore the store from a backup."

    static let closed = TreeError(.closed, "the store has been closed")
}

extension Result where Failure == any Error {
    /// Returns the result of a caller's body. Throws damage that the body met, so that the read is repeated.
    func throwingDamage() throws(TreeError) -> Self {
        if case .failure(let error as TreeError) = self, error.isDamage { throw error }
        return self
    }
}
