extension Upload {
    /// The state of an upload.
    public enum State: RawRepresentable, Codable, Hashable, Sendable {
        /// The id is reserved; no bytes are safe yet.
        case reserved
        /// A draft: its photos are safe, and it is published later.
        case draft
        /// The photo arrives in several requests.
        case receiving
        /// The photos are safe, and the upload becomes a post or fails with a reason.
        case ingested
        /// The post is published.
        case published
        /// The post was published, and deleted later.
        case deleted
        /// The person has posted the same photos before, and did not want to post them again.
        case duplicate
        /// The photos cannot become a post.
        case failed
        /// The upload was not finished in time.
        case expired
        /// A state that this version does not know.
        case other(String)

        private static let known: [String: State] = [
            "reserved": .reserved, "draft": .draft, "receiving": .receiving, "ingested": .ingested,
            "published": .published, "deleted": .deleted, "duplicate": .duplicate, "failed": .failed,
            "expired": .expired,
        ]

        /// Creates a state from its name.
        public init(rawValue: String) { self = Self.known[rawValue] ?? .other(rawValue) }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .reserved: "reserved"
            case .draft: "draft"
            case .receiving: "receiving"
            case .ingested: "ingested"
            case .published: "published"
            case .deleted: "deleted"
            case .duplicate: "duplicate"
            case .failed: "failed"
            case .expired: "expired"
            case .other(let name): name
            }
        }

        /// Whether the upload has ended; its post may still be deleted.
        public var isFinal: Bool {
            switch self {
            case .published, .deleted, .duplicate, .failed, .expired: true
            case .reserved, .draft, .receiving, .ingested, .other: false
            }
        }
    }
}
