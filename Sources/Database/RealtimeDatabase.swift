package import Access
package import Logging
package import Tree

/// The trees of a store as a Realtime Database, with the resources that all users share.
///
/// It does not implement a protocol: REST and event streams are encoders over its sessions.
package final class RealtimeDatabase: Sendable {
    /// The limit of the bytes of writes that are processed at the same time: one of the largest, and many small ones.
    private static let maxBytesInWork = 2 * WriteSizeLimit.maxBytes
    /// The size of the reserve for the first bytes of each write, in bytes, in addition to these.
    private static let reserveBytes = 64 << 20

    package let tree: TreeStore
    let ids: PushIDGenerator
    /// Whether the service's own tree is discarded when the service ends.
    let isThrowAway: Bool
    /// Whether all clients may do everything in trees without rules, as in an emulator.
    let isOpenWithoutRules: Bool
    /// The listeners that are bound by rules.
    let listeners: RuledListeners
    let disconnects: DisconnectOperations
    /// The nodes of the records of requests with keys.
    let requests: RequestNodes
    private let logger: Logger
    let budget = ByteBudget(maxBytes: maxBytesInWork, reserveBytes: reserveBytes)
    /// The disk space for long responses that wait for their readers.
    let spool: ResponseSpool

    /// - Parameters:
    ///   - disconnects: The node of the writes that wait for the end of a connection.
    ///   - requests: The nodes of the records of requests with keys.
    ///   - ids: The generator of the keys of pushed children.
    ///   - isThrowAway: Whether the trees are discarded when the process ends.
    ///   - isOpenWithoutRules: Whether all clients may do everything in trees without rules.
    ///   - logger: The logger that records writes and listeners with their identities, at the level `trace`.
    package init(
        _ tree: TreeStore, disconnects: TreePath, requests: RequestNodes, ids: PushIDGenerator, isThrowAway: Bool,
        isOpenWithoutRules: Bool, spool: ResponseSpool, logger: Logger
    ) {
        self.tree = tree
        listeners = RuledListeners(in: tree)
        self.disconnects = DisconnectOperations(
            in: tree, at: disconnects, of: ids.next(), isOpenWithoutRules: isOpenWithoutRules, logger: logger)
        self.requests = requests
        self.ids = ids
        self.isThrowAway = isThrowAway
        self.isOpenWithoutRules = isOpenWithoutRules
        self.spool = spool
        self.logger = logger
    }

    /// Creates a session for an authenticated or anonymous identity.
    ///
    /// - Parameters:
    ///   - network: The client's network, to which the writes of clients without an identity are charged.
    ///   - count: Called for each write, with its cost.
    ///   - reader: The client for which the session reads; nil for the task's current one.
    package func session(
        as identity: Identity, from network: [UInt8] = [],
        counting count: @escaping DatabaseSession.WriteCounter = { _ in },
        reader: ReadingClient? = nil
    ) -> DatabaseSession {
        DatabaseSession(of: self, as: identity, from: network, counting: count, reader: reader)
    }

    /// Logs an operation of an identity on a path, with its position in the change log.
    func trace(_ action: StaticString, by identity: Identity, at path: TreePath, _ token: SyncToken) {
        logger.trace(
            "\(action)", metadata: ["identity": "\(identity)", "path": "\(path)", "token": "\(token)"])
    }
}
