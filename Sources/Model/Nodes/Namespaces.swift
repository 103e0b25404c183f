package import TreeModel

/// The namespaces beside that of the clients, in the same engine, so that the service's records and what clients see
/// change in one update, and no client can reach the service's records.
extension Namespace {
    /// The records of uploads, files and post runs.
    package static let pipeline = Namespace(reserved: "pipeline")
    /// The data that derivations create from the clients' data.
    package static let social = Namespace(reserved: "social")
    /// The storage rules.
    package static let media = Namespace(reserved: "media")
    /// Accounts, their sessions and codes.
    package static let accounts = Namespace(reserved: "accounts")
    /// The records that the database keeps for its connections.
    package static let database = Namespace(reserved: "database")
}
