import API
import Tree
package import TreeModel

extension DatabaseSession {
    /// Stores a write for the end of a connection. Durable on return.
    ///
    /// It is checked against the session's identity now, and once more when it is applied.
    ///
    /// - Parameter connection: The name of the connection, which is never used again.
    /// - Throws: `Failure` with the code `permission_denied`; `TreeError` with the code `permission_denied`, `invalid_json`,
    ///   `conflicting_paths`, `too_large` or `invalid_value`, or the engine's failure.
    package func onDisconnect(_ operation: DisconnectOperation, of connection: TreeKey) async throws {
        guard operation.json.count <= DisconnectOperation.maxBytes else {
            throw TreeError(
                .tooLarge,
                "the write for the end of a connection has more than \(DisconnectOperation.maxBytes) bytes",
                path: operation.path.node)
        }
        if operation.form == .set { try judgeReplacing(operation.path) }
        let update = try operation.update(by: requester)
        try update.checkLimits(in: database.tree)
        try await database.tree.snapshot { snapshot in try update.judge(in: snapshot) }
        try await database.disconnects.add(operation, as: database.ids.next(), for: identity, of: connection)
    }

    /// Cancels the writes that a connection has stored at a path and below it. Durable on return.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func cancelOnDisconnect(at path: DatabasePath, of connection: TreeKey) async throws {
        try await database.disconnects.cancel(at: path, of: connection)
    }
}

extension RealtimeDatabase {
    /// The time for which a shutdown waits for writes that are due; the next start applies the rest.
    private static let patience = Duration.seconds(5)

    /// Applies the writes of a connection that has ended; retries soon after a fault.
    package func endConnectionSoon(_ connection: TreeKey) { disconnects.makeSoon(of: connection) }

    /// Applies the writes of a connection, if it has any.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func endConnection(_ connection: TreeKey) async throws { try await disconnects.make(of: connection) }

    /// Applies the writes of the connections of earlier processes, before the first connection is accepted, unless
    /// there is a fault.
    package func endLeftConnections() async { await disconnects.makeLeft() }

    /// Waits until the writes of ended connections have been applied, but at most for ``patience``.
    package func waitForEndedConnections() async { await disconnects.waitUntilDone(atMost: Self.patience) }
}
