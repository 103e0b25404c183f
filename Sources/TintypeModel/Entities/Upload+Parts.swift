extension Upload {
    /// The purpose of an upload.
    public enum Purpose: RawRepresentable, Codable, Hashable, Sendable {
        /// A post.
        case post
        /// The picture of a person.
        case avatar
        /// The photo of an object of the bucket.
        case object
        /// A photo of a draft that is sent in several requests.
        case draftPhoto
        /// A purpose that this version does not know.
        case other(String)

        /// Creates a purpose from its name.
        public init(rawValue: String) {
            switch rawValue {
            case "post": self = .post
            case "avatar": self = .avatar
            case "object": self = .object
            case "draft_photo": self = .draftPhoto
            default: self = .other(rawValue)
            }
        }

        /// The name as the service writes it.
        public var rawValue: String {
            switch self {
            case .post: "post"
            case .avatar: "avatar"
            case .object: "object"
            case .draftPhoto: "draft_photo"
            case .other(let name): name
            }
        }
    }

    /// The reason why an upload has failed, or waits.
    public struct Failure: Codable, Hashable, Sendable {
        /// The reason, for programs.
        public var code: Problem.Code
        /// The reason, for people.
        public var message: String
        /// The advice on how to solve the problem, for people; empty for none.
        public var hint: String

        /// Creates a failure.
        public init(code: Problem.Code, message: String, hint: String = "") {
            (self.code, self.message, self.hint) = (code, message, hint)
        }
    }

    /// A photo of an upload. The fields from the width on are nil until it is rendered.
    public struct Photo: Codable, Hashable, Sendable {
        /// The number by which the publication of a draft names the photo; nil for other uploads.
        public var number: Int?
        /// The file name that was sent with it.
        public var originalName: String
        /// The number of bytes.
        public var byteCount: Int64
        /// The SHA-256 of the bytes, in hexadecimal digits.
        public var sha256: String
        /// The description for people who cannot see the photo; nil for none.
        public var alternativeText: String?
        /// The width of the upright picture, in pixels.
        public var width: Int?
        /// The height of the upright picture, in pixels.
        public var height: Int?
        /// The mean colour, `#rrggbb`.
        public var color: String?
        /// A ThumbHash in Base64, a few bytes that draw a blurred preview.
        public var placeholder: String?
        /// The codes of warnings about the photo, such as `damaged`.
        public var warnings: [String]?
        /// The pictures of the photo by the names of their recipes.
        public var renditions: [String: Rendition]?

        /// Creates a photo.
        public init(originalName: String, byteCount: Int64, sha256: String) {
            (self.originalName, self.byteCount, self.sha256) = (originalName, byteCount, sha256)
        }

        private enum CodingKeys: String, CodingKey {
            case number
            case originalName = "original_name"
            case byteCount = "bytes"
            case sha256
            case alternativeText = "alt"
            case width, height, color, placeholder, warnings, renditions
        }
    }
}
