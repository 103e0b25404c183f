package import API
package import Access
import Tree
package import TreeModel

/// The database as one identity may use it: for reading, writing and listening, at any number of paths at the same
/// time.
///
/// Clients of the database and of `/v1/changes` access the trees only through a session, so that their identity is
/// known wherever something is read, written or listened to, and can be checked there. (Posts and people are public,
/// and are read without a session.) A session is cheap to create and holds no resources: a request may have a session
/// of its own, a connection one for its lifetime. Every function may be called from any task.
package struct DatabaseSession: Sendable {
    /// The identity that reads, writes and listens.
    package let identity: Identity
    let database: RealtimeDatabase
    /// The client to which the bytes of writes are charged; nil for the owner.
    let client: ByteBudget.Client?
    let count: WriteCounter
    /// The client for which the session reads; nil for the task's current one.
    let reader: ReadingClient?

    /// A function that receives the cost of a write, in paths and values, and may refuse it.
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

    /// The identity as the rules see it; nil for the owner, who is not bound by them.
    var requester: Requester? { identity.requester(mayUseTreesWithoutRules: database.isOpenWithoutRules) }

    /// Returns the rules document of a tree, which only the owner may access.
    ///
    /// - Throws: `Failure` with the code `permission_denied` for other identities.
    package func rules(of namespace: Namespace) throws(Failure) -> DatabaseRules {
        guard identity == .admin else { throw .permissionDenied() }
        return DatabaseRules(of: namespace, in: database)
    }
}

extension Identity {
    /// Returns the identity as the rules see it; nil for the owner, who is not bound by them.
    func requester(mayUseTreesWithoutRules: Bool) -> Requester? {
        switch self {
        case .admin: nil
        case .anonymous: Requester(auth: nil, mayUseTreesWithoutRules: mayUseTreesWithoutRules)
        case .user(let user): Requester(auth: user.auth, mayUseTreesWithoutRules: mayUseTreesWithoutRules)
        }
    }
}
