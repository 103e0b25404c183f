/// The state of an upload.
package struct UploadDocument: Document {
    /// A photo of an upload; the fields from the width on exist once it is rendered.
    package struct Photo: Document {
        /// The number by which a publish request names the photo of a draft; nil for other uploads.
        package var number: Int?
        package let originalName: String
        package let bytes: Int
        package let sha256: String
        package var alt: String?
        /// The width of the upright picture, in pixels.
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
    /// The purpose; nil for a post.
    package var purpose: UploadPurpose?
    package let door: Intake
    package let state: UploadState
    /// The time of the reservation, in milliseconds since the epoch, as all times.
    package let createdAt: Int64
    package let updatedAt: Int64
    /// The time at which the post was made by the clock of the author's device; nil if it is not known.
    package var clientTimestamp: Int64?
    /// The same times, by the names that all documents have.
    package let created: Int64?
    package let updated: Int64?
    package let attempts: Int
    /// The number of durable bytes of a photo that is sent in several requests; nil unless it is being received.
    package var receivedBytes: Int?
    /// The total number of bytes; also nil if it is not known.
    package var expectedBytes: Int?
    package var text: String?
    package var clientReference: String?
    /// The audiences of the post; nil for everybody.
    package var audiences: [String]?
    /// The address of the upload's post, or of an earlier post with the same photos.
    package var post: String?
    /// The draft that the photo belongs to; nil for other purposes.
    package var draft: String?
    /// The photo's number in the draft; nil for other purposes.
    package var number: Int?
    package var error: Failure?
    package var photos: [Photo]?

    private enum CodingKeys: String, CodingKey {
        case uploadID = "upload_id"
        case user, purpose, door, state
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case clientTimestamp = "client_timestamp"
        case created, updated, attempts
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
        (created, updated) = (createdAt, updatedAt)
        self.attempts = attempts
    }
}

/// A rendition of a photo.
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

/// The post of a published upload.
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
