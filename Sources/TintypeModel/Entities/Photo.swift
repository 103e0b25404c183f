#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A photo of a post: everything that an app needs before the first pixel is loaded.
public struct Photo: Codable, Hashable, Sendable {
    /// The width of the upright picture, in pixels.
    public var width: Int
    /// The height of the upright picture, in pixels.
    public var height: Int
    /// The mean colour, `#rrggbb`; nil if it is not stored.
    public var color: String?
    /// A ThumbHash in Base64, a few bytes that draw a blurred preview; nil if it is not stored.
    public var placeholder: String?
    /// The description for people who cannot see the photo; nil for none.
    public var alternativeText: String?
    /// Whether the photo is blurred, as moderation decided.
    public var isBlurred = false
    /// The codes of warnings about the photo, such as `damaged`; mostly empty.
    public var warnings: [String] = []
    /// The pictures of the photo by the names of their recipes, such as `thumb`; empty if there are none.
    public var renditions: [String: Rendition] = [:]
    /// The position at which the photo was published; nil if it is still there.
    public var number: Int?
    /// The fields that this version does not know, by their names.
    public var additionalFields: [String: JSONValue] = [:]
    /// The parts of the decoded document that could not be read and are left out; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// The width divided by the height.
    public var aspectRatio: Double { Double(width) / Double(height) }

    /// The bytes of the ThumbHash; nil if there is none, or if it is not Base64.
    public var thumbHash: Data? { placeholder.flatMap { Data(base64Encoded: $0) } }

    /// Creates a photo.
    public init(width: Int, height: Int, renditions: [String: Rendition] = [:]) {
        (self.width, self.height, self.renditions) = (width, height, renditions)
    }

    /// Returns the smallest rendition that is at least as wide, or else the widest one; nil if there is none.
    ///
    /// - Parameter width: The width at which it is shown, in pixels.
    public func rendition(forWidth width: Int) -> Rendition? {
        let byWidth = renditions.values.sorted { ($0.width, $0.address.rawValue) < ($1.width, $1.address.rawValue) }
        return byWidth.first { $0.width >= width } ?? byWidth.last
    }

    /// Decodes a photo; renditions that cannot be read are left out.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        (width, height) = try fields.size()
        color = fields.optional("color")
        placeholder = fields.optional("placeholder")
        alternativeText = fields.optional("alt")
        isBlurred = fields.flag("blurred")
        warnings = fields.list("warnings")
        renditions = fields.dictionary("renditions") ?? [:]
        number = fields.number("number")
        additionalFields = try fields.rest()
        faults = fields.faults
    }

    /// Encodes the photo in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder, additional: additionalFields)
        try fields.set("width", width)
        try fields.set("height", height)
        try fields.set("color", color)
        try fields.set("placeholder", placeholder)
        try fields.set("alt", alternativeText)
        try fields.set("blurred", flag: isBlurred)
        try fields.set("warnings", list: warnings)
        try fields.set("renditions", renditions.isEmpty ? nil : renditions)
        try fields.set("number", number)
    }
}
