package import Access
package import Logging
package import Tree

/// The trees of a store as a Realtime Database, and what all who use it share.
///
/// It speaks no wire protocol: REST and event streams are encoders over its sessions.
package final class RealtimeDatabase: Sendable {
    /// How many bytes of writes may be in work at once: a largest one beside many that are small.
    private static let maxBytesInWork = 2 * WriteSizeLimit.maxBytes
    /// The reserve beside these, for the first bytes of each write.
    private static let reserveBytes = 64 << 20

    let tree: TreeStore
    let ids: PushIDGenerator
    /// Whether the service's own tree is gone when the service ends.
    let isThrowAway: Bool
    /// Whether everybody may do everything in a tree for which nobody has written rules, as in an emulator.
    let isOpenWithoutRules: Bool
    /// Those who listen and are bound by rules.
    let listeners: RuledListeners
    let disconnects: DisconnectOperations
    private let logger: Logger
    let budget = ByteBudget(maxBytes: maxBytesInWork, reserveBytes: reserveBytes)
    /// Where long answers wait for their readers.
    let spool: ResponseSpool

    /// - Parameters:
    ///   - ids: What makes the keys of pushed children.
    ///   - isThrowAway: Whether the trees are gone when the process ends.
    ///   - isOpenWithoutRules: Whether everybody may do everything in a tree for which nobody has written rules.
    ///   - logger: What is told, at the level `trace`, who writes what and who listens where.
    package init(
        _ tree: TreeStore, ids: PushIDGenerator, isThrowAway: Bool, isOpenWithoutRules: Bool, spool: ResponseSpool,
        logger: Logger
    ) {
        self.tree = tree
        listeners = RuledListeners(in: tree)
        disconnects = DisconnectOperations(
            in: tree, of: ids.next(), isOpenWithoutRules: isOpenWithoutRules, logger: logger)
        self.ids = ids
        self.isThrowAway = isThrowAway
        self.isOpenWithoutRules = isOpenWithoutRules
        self.spool = spool
        self.logger = logger
    }

    /// Begins a session of somebody who was let in.
    ///
    /// - Parameters:
    ///   - network: Where they come from, as what they write is counted while nothing is known of them.
    ///   - count: Is told of each write.
    ///   - reader: The client for which it reads; nil for the one for which the task reads already.
    package func session(
        as identity: Identity, from network: [UInt8] = [],
        counting count: @escaping DatabaseSession.WriteCounter = { _ in },
        reader: ReadingClient? = nil
    ) -> DatabaseSession {
        DatabaseSession(of: self, as: identity, from: network, counting: count, reader: reader)
    }

    /// Logs who has done what at a path, and the position in the change log at which it holds.
    func trace(_ action: StaticString, by identity: Identity, at path: TreePath, _ token: SyncToken) {
        logger.trace(
            "\(action)", metadata: ["identity": "\(identity)", "path": "\(path)", "token": "\(token)"])
    }
}
