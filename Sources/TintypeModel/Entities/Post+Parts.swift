extension Post {
    /// The kind of a post's content.
    public enum Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// Photos without a text.
        case photo
        /// Photos with a text.
        case photoText
        /// A text without photos.
        case text
        /// A kind that this version does not know, such as one that an app has added.
        case other(String)

        /// Creates the kind of a post whose writer has not named it.
        init(hasPhotos: Bool, hasText: Bool) { self = hasPhotos ? hasText ? .photoText : .photo : .text }

        /// Creates a kind from its name.
        public init(rawValue: String) {
            switch rawValue {
            case "photo": self = .photo
            case "photo_text": self = .photoText
            case "text": self = .text
            default: self = .other(rawValue)
            }
        }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .photo: "photo"
            case .photoText: "photo_text"
            case .text: "text"
            case .other(let name): name
            }
        }
    }

    /// The numbers of likes and comments of a post.
    public struct Counts: Codable, Hashable, Sendable {
        /// The number of people who like the post.
        public var likes: Int
        /// The number of comments.
        public var comments: Int

        /// Creates counts.
        public init(likes: Int = 0, comments: Int = 0) { (self.likes, self.comments) = (likes, comments) }

        /// Decodes counts; a missing one is 0, as the tree does not store zeros.
        public init(from decoder: any Decoder) throws {
            var fields = try FieldReader(decoder)
            likes = fields.number("likes") ?? 0
            comments = fields.number("comments") ?? 0
        }
    }

    /// The addresses of a post's first photo, in FriendlyPix's form.
    public struct FirstPhoto: Hashable, Sendable {
        /// The address of the large picture; nil for none.
        public var full: MediaAddress?
        /// The address of the small picture; nil for none.
        public var thumbnail: MediaAddress?
        /// The path of the large picture's file; nil for none.
        public var fullStorageURI: String?
        /// The path of the small picture's file; nil for none.
        public var thumbnailStorageURI: String?

        /// Creates addresses.
        public init(full: MediaAddress? = nil, thumbnail: MediaAddress? = nil) {
            (self.full, self.thumbnail) = (full, thumbnail)
        }

        init(_ fields: inout FieldReader) {
            full = fields.optional("full_url")
            thumbnail = fields.optional("thumb_url")
            fullStorageURI = fields.optional("full_storage_uri")
            thumbnailStorageURI = fields.optional("thumb_storage_uri")
        }

        func write(to fields: inout FieldWriter) throws {
            try fields.set("full_url", full)
            try fields.set("thumb_url", thumbnail)
            try fields.set("full_storage_uri", fullStorageURI)
            try fields.set("thumb_storage_uri", thumbnailStorageURI)
        }
    }
}
