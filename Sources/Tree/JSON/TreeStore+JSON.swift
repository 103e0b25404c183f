extension TreeStore {
    /// Applies a change given as JSON, as a whole or not at all; see ``update(_:)``.
    ///
    /// - Throws: ``TreeError`` with code `precondition_failed`, `conflicting_paths`, `too_large`, `invalid_value` or
    ///   `permission_denied`, or the engine's failure.
    @discardableResult
    public func update(
        _ update: JSONUpdate, if preconditions: [Precondition] = []
    ) async throws(TreeError) -> JSONReceipt {
        var encoded = try EncodedUpdate(
            writes: update.writes, origin: update.origin, preconditions: update.conditions + preconditions)
        encoded.requester = update.requester
        encoded.judgesConditions = update.judgesConditions
        return JSONReceipt(try await largeWrites.commit(encoded), origin: update.origin)
    }
}
