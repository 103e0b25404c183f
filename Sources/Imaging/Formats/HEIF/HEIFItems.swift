/// The items of a HEIC or AVIF file, their properties, and how they refer to each other (ISO/IEC 23008-12, clause 6).
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
    /// The items whose bytes are not to be had.
    var obstacles: [Int: HEIFTables.Obstacle] { tables.obstacles }
    /// Whether the file has a `moov` box, of films and animations.
    var hasTracks: Bool { tables.hasTracks }
    /// Whether the file has a `mini` box, of an image without tables.
    var isMinimized: Bool { tables.isMinimized }

    /// The places of an item's bytes; none for what is beyond reason.
    func pieces(of item: Int) -> [Range<Int>] { tables.locations[item] ?? [] }

    /// The properties of an item, in the order in which they apply.
    func properties(of item: Int) -> [Boxes.Box] {
        (tables.associations[item] ?? []).compactMap { number in
            tables.properties.indices.contains(number - 1) ? tables.properties[number - 1] : nil
        }
    }

    /// The items that an item is made of, or otherwise points to.
    func items(from item: Int, by type: String, _ bytes: Span<UInt8>) -> [Int] {
        var items: [Int] = []
        for reference in tables.references
        where reference.from == item && bytes.starts(with: type, at: reference.type) {
            items += reference.to
        }
        return items
    }

    /// The items that point to an item.
    func items(to item: Int, by type: String, _ bytes: Span<UInt8>) -> [Int] {
        var items: [Int] = []
        for reference in tables.references
        where reference.to.contains(item) && bytes.starts(with: type, at: reference.type) {
            items.append(reference.from)
        }
        return items
    }
}
