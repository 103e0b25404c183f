package import TreeModel

/// A post as it is stored in the tree, where clients of the database write; it may have further fields.
package struct PostDocument: Document {
    package let value: TreeValue

    package init(_ value: TreeValue) {
        self.value = value
    }

    package init(from decoder: any Decoder) throws {
        value = try TreeValue(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// The fields of a post that readers may rely on; its schema.
    struct Shape: Decodable {
        struct Author: Decodable {
            let uid: String
            let fullName: String?
            let profilePicture: String?

            private enum CodingKeys: String, CodingKey {
                case uid
                case fullName = "full_name"
                case profilePicture = "profile_picture"
            }
        }

        struct Photo: Decodable {
            let width: Double
            let height: Double
            let color: String?
            let placeholder: String?
            let alt: String?
            let blurred: Bool?
            let number: Int?
            let warnings: [String]?
            let renditions: [String: Rendition]?
        }

        struct Rendition: Decodable {
            let url: String
            let width: Double
            let height: Double
        }

        struct Counts: Decodable {
            let likes: Int64
            let comments: Int64
        }

        struct Comment: Decodable {
            let commentID: String
            let author: Author
            let text: String
            let timestamp: Int64
            let created: Int64?
            let updated: Int64?

            private enum CodingKeys: String, CodingKey {
                case commentID = "comment_id"
                case author, text, timestamp, created, updated
            }
        }

        let postID: String?
        let kind: String?
        let text: String?
        let mentions: [MentionDocument]?
        let timestamp: Double
        let clientTimestamp: Int64?
        let edited: Int64?
        let clientEdited: Int64?
        /// The time at which the service stored the post, in milliseconds since the epoch.
        let created: Int64?
        /// The time of the last change of the record, in milliseconds since the epoch; likes and comments are no
        /// changes of it.
        let updated: Int64?
        let published: TreeValue?
        let author: Author
        let clientReference: String?
        let photos: [Photo]?
        let fullURL: String?
        let fullStorageURI: String?
        let thumbURL: String?
        let thumbStorageURI: String?
        /// The post's counts; only in lists of posts, as are the following fields.
        let counts: Counts?
        let liked: Bool?
        let comments: [Comment]?
        /// The position in the list, which is the cursor with which a page after the post begins.
        let position: String?

        private enum CodingKeys: String, CodingKey {
            case postID = "post_id"
            case kind, text, mentions, timestamp
            case clientTimestamp = "client_timestamp"
            case edited
            case clientEdited = "client_edited"
            case created, updated, published, author
            case clientReference = "client_ref"
            case photos
            case fullURL = "full_url"
            case fullStorageURI = "full_storage_uri"
            case thumbURL = "thumb_url"
            case thumbStorageURI = "thumb_storage_uri"
            case counts, liked, comments, position
        }
    }
}

/// The event that a post was published or deleted.
package struct PostEventDocument: Document {
    /// The post's path below `posts/`.
    package let path: String
    /// The post; null if it was deleted.
    package let data: PostDocument?
    /// The cursor of the post in the list.
    package let position: String?

    private enum CodingKeys: CodingKey { case path, data, position }

    package init(path: String, data: PostDocument?, position: String?) {
        self.path = path
        self.data = data
        self.position = position
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        data = try container.decode(PostDocument?.self, forKey: .data)
        position = try container.decodeIfPresent(String.self, forKey: .position)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(data, forKey: .data)
        try container.encodeIfPresent(position, forKey: .position)
    }
}

/// The event that an author's posts are no longer in a feed.
package struct AuthorEventDocument: Document {
    package let author: String

    package init(author: String) { self.author = author }
}

/// A page of posts.
package struct PostPageDocument: Document {
    /// A record below `posts/` that is not a post.
    package struct Skipped: Document {
        package let path: String
        package let reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    package var posts: [PostDocument] = []
    package var hasMore = false
    /// The cursor of the next page; nil on the last page.
    package var next: String?
    package var skipped: [Skipped]?
    /// Whether a home feed is complete; if it is not, more posts are being added. Nil for other lists.
    package var complete: Bool?

    private enum CodingKeys: String, CodingKey {
        case posts
        case hasMore = "has_more"
        case next, skipped, complete
    }

    package init() {}
}

/// The addresses of a post's originals.
package struct OriginalsDocument: Document {
    package let postID: String
    /// Signed addresses, in the order of the photos' names.
    package let urls: [String]

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case urls
    }

    package init(postID: String, urls: [String]) {
        self.postID = postID
        self.urls = urls
    }
}

/// The deletion of a post.
package struct DeletionDocument: Document {
    package let postID: String
    package var deleted = true
    /// The time until which the files are kept at least, in milliseconds since the epoch, unless `grace-period` is
    /// shortened before.
    package let filesUntil: Int64

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case deleted
        case filesUntil = "files_until"
    }

    package init(postID: String, filesUntil: Int64) {
        self.postID = postID
        self.filesUntil = filesUntil
    }
}
