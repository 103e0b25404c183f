package import API
package import Access
import Tree
package import TreeModel

/// The database as one identity may use it: it gets, writes and listens, at any number of paths at once.
///
/// Clients of the database and of `/v1/changes` reach the trees by a session and not otherwise, so that who they are is
/// known wherever something is read, written or listened to, and can be judged there. (Posts and people are public, and
/// are read without one.) A session costs nothing to begin and holds nothing: a request may have one of its own, a
/// connection one for all its life. Every function may be called from any task.
package struct DatabaseSession: Sendable {
    /// The identity that reads, writes and listens.
    package let identity: Identity
    let database: RealtimeDatabase
    /// As whom what is written is counted; nil for the owner.
    let client: ByteBudget.Client?
    let count: WriteCounter
    /// The client for which it reads; nil for the one for which the task reads already.
    let reader: ReadingClient?

    /// Is told how much is to be done for a write, in paths and values, and may refuse it.
    package typealias WriteCounter = @Sendable (Int) throws(Failure) -> Void

    init(
        of database: RealtimeDatabase, as identity: Identity, from network: [UInt8],
        counting count: @escaping WriteCounter, reader: ReadingClient?
    ) {
        self.database = database
        self.identity = identity
        self.count = count
        self.reader = reader
        client = ByteBudget.Client(identity, from: network)
    }

    /// Who the rules see; nil for the owner, whom they do not bind.
    var requester: Requester? { identity.requester(mayUseTreesWithoutRules: database.isOpenWithoutRules) }

    /// The rules document of a tree, which is its owner's.
    ///
    /// - Throws: `Failure` with the code `permission_denied` for everybody else.
    package func rules(of namespace: Namespace) throws(Failure) -> DatabaseRules {
        guard identity == .admin else { throw .permissionDenied() }
        return DatabaseRules(of: namespace, in: database)
    }
}

extension Identity {
    /// Who the rules see; nil for the owner, whom they do not bind.
    func requester(mayUseTreesWithoutRules: Bool) -> Requester? {
        switch self {
        case .admin: nil
        case .anonymous: Requester(auth: nil, mayUseTreesWithoutRules: mayUseTreesWithoutRules)
        case .user(let user): Requester(auth: user.auth, mayUseTreesWithoutRules: mayUseTreesWithoutRules)
        }
    }
}
