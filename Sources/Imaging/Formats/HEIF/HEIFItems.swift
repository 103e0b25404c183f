/// The items of a HEIC or AVIF file, their properties, and the references between them (ISO/IEC 23008-12, clause 6).
struct HEIFItems {
    private let tables: HEIFTables

    /// Reads the tables in the file's `meta` box.
    init(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) {
        tables = try HEIFTables(bytes, format: format)
    }

    var format: ImageFormat { tables.format }
    var primary: Int? { tables.primary }
    /// The four characters of each item's type.
    var types: [Int: String] { tables.types }
    /// The items whose bytes are not available, with the reason.
    var obstacles: [Int: HEIFTables.Obstacle] { tables.obstacles }
    /// Whether the file has a `moov` box, for films and animations.
    var hasTracks: Bool { tables.hasTracks }
    /// Whether the file has a `mini` box, for an image without tables.
    var isMinimized: Bool { tables.isMinimized }

    /// Returns the ranges of an item's bytes; empty for implausible ones.
    func pieces(of item: Int) -> [Range<Int>] { tables.locations[item] ?? [] }

    /// Returns the properties of an item, in the order in which they apply.
    func properties(of item: Int) -> [Boxes.Box] {
        (tables.associations[item] ?? []).compactMap { number in
            tables.properties.indices.contains(number - 1) ? tables.properties[number - 1] : nil
        }
    }

    /// Returns the items that an item refers to, such as its parts.
    func items(from item: Int, by type: String, _ bytes: Span<UInt8>) -> [Int] {
        var items: [Int] = []
        for reference in tables.references
        where reference.from == item && bytes.starts(with: type, at: reference.type) {
            items += reference.to
        }
        return items
    }

    /// Returns the items that refer to an item.
    func items(to item: Int, by type: String, _ bytes: Span<UInt8>) -> [Int] {
        var items: [Int] = []
        for reference in tables.references
        where reference.to.contains(item) && bytes.starts(with: type, at: reference.type) {
            items.append(reference.from)
        }
        return items
    }
}
