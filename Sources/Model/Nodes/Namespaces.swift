package import TreeModel

/// The trees beside that of the clients, in the same engine: so the service's records and what clients see change in one update,
/// and no client can reach what the service relies on.
extension Namespace {
    /// The records of uploads, files and jobs over posts.
    package static let pipeline = Namespace(reserved: "pipeline")
    /// The tree of what follows from what people do.
    package static let social = Namespace(reserved: "social")
    /// The rules of storage.
    package static let media = Namespace(reserved: "media")
    /// Accounts, their sessions and codes.
    package static let accounts = Namespace(reserved: "accounts")
    /// The tree of what the database keeps for its connections.
    package static let database = Namespace(reserved: "database")
}
