/// A picture of a photo in one size.
public struct Rendition: Codable, Hashable, Sendable {
    /// The address of the picture. The bytes behind an address never change.
    public var address: MediaAddress
    /// The width, in pixels.
    public var width: Int
    /// The height, in pixels.
    public var height: Int
    /// The media type, such as `image/jpeg`; nil if it is not stored.
    public var contentType: String?
    /// The number of bytes; nil if it is not stored.
    public var byteCount: Int64?
    /// The path of the file below the service's folder; nil if it is not stored.
    public var storageURI: String?

    /// Creates a rendition.
    public init(address: MediaAddress, width: Int, height: Int) {
        (self.address, self.width, self.height) = (address, width, height)
    }

    /// Decodes a rendition.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        address = try fields.required("url")
        (width, height) = try fields.size()
        contentType = fields.optional("content_type")
        byteCount = fields.integer("bytes")
        storageURI = fields.optional("storage_uri")
    }

    /// Encodes the rendition in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder)
        try fields.set("url", address)
        try fields.set("width", width)
        try fields.set("height", height)
        try fields.set("content_type", contentType)
        try fields.set("bytes", byteCount)
        try fields.set("storage_uri", storageURI)
    }
}
