package import TreeModel

/// A photo of a post, as it is stored at `posts/{id}/photos/{n}`: everything a client needs before the first pixel
/// loads.
package struct PhotoRecord: Sendable, Hashable {
    /// A rendition.
    package struct Rendition: Sendable, Hashable {
        /// The blob's file name; it contains a fingerprint of everything that determines its bytes, and never changes.
        package let fileName: String
        /// The width, in pixels.
        package let width: Int
        /// The height, in pixels.
        package let height: Int
        package let byteCount: Int
        package let contentType: String

        package init(fileName: String, width: Int, height: Int, byteCount: Int, contentType: String) {
            self.fileName = fileName
            self.width = width
            self.height = height
            self.byteCount = byteCount
            self.contentType = contentType
        }
    }

    /// The valid side lengths, in pixels; with this limit, the number of pixels does not overflow.
    fileprivate static let lengths: ClosedRange<Int64> = 1...1_000_000_000

    /// The width of the upright picture, in pixels.
    package let width: Int
    /// The height of the upright picture, in pixels.
    package let height: Int
    /// A ThumbHash, Base64 (RFC 4648 §4): a few bytes that draw a blurred preview.
    package let placeholder: String
    /// The photo's mean colour, `#rrggbb`, which is shown before the placeholder is drawn.
    package let color: String
    /// The codes of warnings about the photo; mostly empty.
    package let warnings: [String]
    /// The renditions by the names of their recipes.
    package let renditions: [String: Rendition]
    /// The alternative text: a description for people who cannot see the photo; empty for none.
    package var alt = ""
    /// Whether its renditions are blurred, as moderation decided.
    package var isBlurred = false
    /// The number by which edits name the photo: the index at which it was published; nil if that is its index.
    package var number: Int?

    package init(
        width: Int, height: Int, placeholder: String, color: String, warnings: [String],
        renditions: [String: Rendition]
    ) {
        self.width = width
        self.height = height
        self.placeholder = placeholder
        self.color = color
        self.warnings = warnings
        self.renditions = renditions
    }
}

extension PhotoRecord {
    /// Returns the record as it is written, with the addresses at which media are served.
    ///
    /// - Parameter base: The public address of the service; nil for addresses without a host.
    package func value(owner: UserID, post: PostID, at base: PublicBase? = nil) throws(TreeError) -> TreeValue {
        var records: [TreeKey: TreeValue] = [:]
        for (name, rendition) in renditions {
            records[try TreeKey(name)] = [
                "url": .string(MediaAddress.url(owner, post, rendition.fileName, at: base)),
                "storage_uri": .string(MediaAddress.storageURI(owner, post, rendition.fileName)),
                "width": .integer(Int64(rendition.width)),
                "height": .integer(Int64(rendition.height)),
                "bytes": .integer(Int64(rendition.byteCount)),
                "content_type": .string(rendition.contentType),
            ]
        }
        var fields: [TreeKey: TreeValue] = [
            "width": .integer(Int64(width)), "height": .integer(Int64(height)), "placeholder": .string(placeholder),
            "color": .string(color), "renditions": .object(records),
        ]
        var codes: [TreeKey: TreeValue] = [:]
        for (index, warning) in warnings.enumerated() { codes[try TreeKey(String(index))] = .string(warning) }
        if !codes.isEmpty { fields["warnings"] = .object(codes) }
        if !alt.isEmpty { fields["alt"] = .string(alt) }
        fields["number"] = number.map { .integer(Int64($0)) }
        if isBlurred { fields["blurred"] = true }
        return .object(fields)
    }

    /// Reads a record; nil if a field is missing or invalid, as clients write records, too.
    package init?(_ value: TreeValue) {
        guard let width = value["width"]?.integerValue, let height = value["height"]?.integerValue,
            Self.lengths.contains(width), Self.lengths.contains(height)
        else { return nil }
        let warnings = (value["warnings"]?.object ?? [:]).sorted { $0.key < $1.key }
        var renditions: [String: Rendition] = [:]
        for (name, record) in value["renditions"]?.object ?? [:] {
            guard let rendition = Rendition(record) else { return nil }
            renditions[name.description] = rendition
        }
        self.init(
            width: Int(width), height: Int(height), placeholder: value["placeholder"]?.stringValue ?? "",
            color: value["color"]?.stringValue ?? "", warnings: warnings.compactMap(\.value.stringValue),
            renditions: renditions)
        alt = value["alt"]?.stringValue ?? ""
        isBlurred = value["blurred"] == true
        number = value["number"]?.integerValue.flatMap { Int(exactly: $0) }
    }
}

extension PhotoRecord.Rendition {
    fileprivate init?(_ value: TreeValue) {
        guard let uri = value["storage_uri"]?.stringValue, let name = uri.split(separator: "/").last,
            let width = value["width"]?.integerValue, let height = value["height"]?.integerValue,
            let bytes = value["bytes"]?.integerValue, let contentType = value["content_type"]?.stringValue,
            PhotoRecord.lengths.contains(width), PhotoRecord.lengths.contains(height)
        else { return nil }
        self.init(
            fileName: String(name), width: Int(width), height: Int(height), byteCount: Int(bytes),
            contentType: contentType)
    }
}

extension [PhotoRecord] {
    /// The numbers of a post's photos, in the order in which they are shown. They stay when the order changes.
    package var numbers: [Int] { enumerated().map { $1.number ?? $0 } }
}
