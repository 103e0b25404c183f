package import TreeModel

/// The fields of a post, each declared once with its shape and its writer. The compiler finds the code that a new case
/// affects (``Post``), as do the tests of the nodes: the default rules, and the schema for programs (`PostDocument`).
package enum PostField: String, CaseIterable, Sendable {
    case author, timestamp
    case clientTimestamp = "client_timestamp"
    case text, kind
    case clientReference = "client_ref"
    case fullURL = "full_url"
    case fullStorageURI = "full_storage_uri"
    case thumbURL = "thumb_url"
    case thumbStorageURI = "thumb_storage_uri"
    case mentions, photos, audiences, published
    /// The time of the last edit, and the time at which it was made by the clock of the author's device.
    case edited
    case clientEdited = "client_edited"
    /// The kind of app that wrote the post: `web`, `ios` or `android`.
    case client
    /// The marks that FriendlyPix's functions write, as admins.
    case sanitized, moderated

    /// The kind of value that a field holds, as far as readers rely on it.
    enum Shape {
        case text
        /// Anything; readers check it themselves, or do not read it.
        case other
    }

    /// The writer of a field: clients, clients for posts for audiences only, or the service and admins.
    package enum Writer { case clients, clientsForAudiences, service }

    package var key: TreeKey { TreeKey(unchecked: rawValue) }

    var shape: Shape {
        switch self {
        case .text, .kind, .clientReference, .fullURL, .fullStorageURI, .thumbURL, .thumbStorageURI: .text
        case .author, .timestamp, .mentions, .photos, .audiences, .published, .client, .sanitized, .moderated: .other
        case .clientTimestamp, .edited, .clientEdited: .other
        }
    }

    package var writer: Writer {
        switch self {
        case .author, .timestamp, .text, .mentions, .client: .clients
        case .fullURL, .fullStorageURI, .thumbURL, .thumbStorageURI: .clients
        case .audiences: .clientsForAudiences
        case .kind, .clientReference, .photos, .published, .sanitized, .moderated: .service
        case .clientTimestamp, .edited, .clientEdited: .service
        }
    }

    /// Whether the schema describes the field; other fields are passed on unchanged.
    package var isDocumented: Bool {
        switch self {
        case .audiences, .client, .sanitized, .moderated: false
        default: true
        }
    }
}
