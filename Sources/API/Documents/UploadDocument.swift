/// How an upload stands.
package struct UploadDocument: Document {
    /// A photo of an upload; from its width on, once it is rendered.
    package struct Photo: Document {
        /// By what the photo of a draft is named to those who publish it; nil for other uploads.
        package var number: Int?
        package let originalName: String
        package let bytes: Int
        package let sha256: String
        package var alt: String?
        /// Pixels, upright.
        package var width: Int?
        package var height: Int?
        package var color: String?
        package var placeholder: String?
        package var warnings: [String]?
        package var renditions: [String: RenditionDocument]?

        private enum CodingKeys: String, CodingKey {
            case number
            case originalName = "original_name"
            case bytes, sha256, alt, width, height, color, placeholder, warnings, renditions
        }

        package init(originalName: String, bytes: Int, sha256: String) {
            self.originalName = originalName
            self.bytes = bytes
            self.sha256 = sha256
        }
    }

    package let uploadID: String
    package let user: String
    /// Nil for a post.
    package var purpose: UploadPurpose?
    package let door: Intake
    package let state: UploadState
    /// Milliseconds since 1970, as all times.
    package let createdAt: Int64
    package let updatedAt: Int64
    package let attempts: Int
    /// How many bytes of a photo in several requests are durable; nil but while it is received.
    package var receivedBytes: Int?
    /// How many it will have; nil while that is not known, too.
    package var expectedBytes: Int?
    package var text: String?
    package var clientReference: String?
    /// For whom the post is to be; nil for everybody.
    package var audiences: [String]?
    /// The address of the post that it has become, or that had the same photos before.
    package var post: String?
    /// The draft of which it is to be a photo, or has become one.
    package var draft: String?
    /// Its number there; nil but for such a photo.
    package var number: Int?
    package var error: Failure?
    package var photos: [Photo]?

    private enum CodingKeys: String, CodingKey {
        case uploadID = "upload_id"
        case user, purpose, door, state
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case attempts
        case receivedBytes = "received_bytes"
        case expectedBytes = "expected_bytes"
        case text
        case clientReference = "client_ref"
        case audiences, post, draft, number, error, photos
    }

    package init(
        uploadID: String, user: String, door: Intake, state: UploadState, createdAt: Int64, updatedAt: Int64,
        attempts: Int
    ) {
        self.uploadID = uploadID
        self.user = user
        self.door = door
        self.state = state
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.attempts = attempts
    }
}

/// One derived image of a photo.
package struct RenditionDocument: Document {
    package let url: String
    package let storageURI: String
    package let contentType: String
    package let bytes: Int
    package let width: Int
    package let height: Int

    private enum CodingKeys: String, CodingKey {
        case url
        case storageURI = "storage_uri"
        case contentType = "content_type"
        case bytes, width, height
    }

    package init(url: String, storageURI: String, contentType: String, bytes: Int, width: Int, height: Int) {
        self.url = url
        self.storageURI = storageURI
        self.contentType = contentType
        self.bytes = bytes
        self.width = width
        self.height = height
    }
}

/// The post that an upload has become.
package struct PublishedDocument: Document {
    package let postID: String
    package let post: PostDocument

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case post
    }

    package init(postID: String, post: PostDocument) {
        self.postID = postID
        self.post = post
    }
}
