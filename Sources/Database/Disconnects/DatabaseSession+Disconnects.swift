import API
import Tree
package import TreeModel

extension DatabaseSession {
    /// Leaves a write for the end of a connection; durable when it returns.
    ///
    /// It is judged now and once more when it is made, as whoever this session is of.
    ///
    /// - Parameter connection: The connection, by a name that no other has, nor had.
    /// - Throws: `Failure` with the code `permission_denied`; `TreeError` with the code `permission_denied`, `invalid_json`,
    ///   `conflicting_paths`, `too_large` or `invalid_value`, or the engine's failure.
    package func onDisconnect(_ operation: DisconnectOperation, of connection: TreeKey) async throws {
        guard operation.json.count <= DisconnectOperation.maxBytes else {
            throw TreeError(
                .tooLarge,
                "what is left for the end of a connection has more than \(DisconnectOperation.maxBytes) bytes",
                path: operation.path.node)
        }
        if operation.form == .set { try judgeReplacing(operation.path) }
        let update = try operation.update(by: requester)
        try update.checkLimits(in: database.tree)
        try await database.tree.snapshot { snapshot in try update.judge(in: snapshot) }
        try await database.disconnects.add(operation, as: database.ids.next(), for: identity, of: connection)
    }

    /// Takes back what a connection has left at a path and below it; durable when it returns.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func cancelOnDisconnect(at path: DatabasePath, of connection: TreeKey) async throws {
        try await database.disconnects.cancel(at: path, of: connection)
    }
}

extension RealtimeDatabase {
    /// How long a shutdown waits for what is due; the next start makes the rest.
    private static let patience = Duration.seconds(5)

    /// Makes what a connection has left for its end, which has come; what is in the way now is met again soon.
    package func endConnectionSoon(_ connection: TreeKey) { disconnects.makeSoon(of: connection) }

    /// Makes what a connection has left for its end; there may be nothing any more.
    ///
    /// - Throws: `TreeError`, the engine's failure.
    package func endConnection(_ connection: TreeKey) async throws { try await disconnects.make(of: connection) }

    /// Makes what was left by connections that ended with the process before: before the first connection comes, unless
    /// something is in the way.
    package func endLeftConnections() async { await disconnects.makeLeft() }

    /// Waits until what connections have left has been made, but not too long.
    package func waitForEndedConnections() async { await disconnects.waitUntilDone(atMost: Self.patience) }
}
