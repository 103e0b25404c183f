/// An image of a HEIC or AVIF as it is stored: one coded image, or a grid of them.
struct HEIFImage {
    /// The items of the coded images, row by row from the top left.
    private(set) var tiles: [Int]
    /// The number of tiles in a row.
    let columns: Int
    let tileSize: PixelSize
    /// The most memory that decoding a tile takes, in bytes.
    private(set) var tileBytes: Int
    /// The size that the tiles cover; the last ones may hang over.
    let storedSize: PixelSize
    fileprivate(set) var part: VisibleRegion

    /// The pixels of all tiles.
    var codedPixels: Int { min(tileSize.pixelCount, 1 << 40) * tiles.count }

    /// The image with another one's visible part.
    func shown(as other: HEIFImage) -> HEIFImage {
        var result = self
        result.part = other.part
        return result
    }

    /// The same grid of other tiles.
    func made(of tiles: [Int], tileBytes: Int) -> HEIFImage {
        var result = self
        (result.tiles, result.tileBytes) = (tiles, tileBytes)
        return result
    }

    /// Whether it may stand for an image: no larger, turned alike and, rounding apart, with its proportions.
    func isCopy(of image: HEIFImage) -> Bool {
        let (copy, size) = (part.size, image.part.size)
        let difference = copy.width * size.height - copy.height * size.width
        return size.covers(copy, factor: 1) && part.orientation == image.part.orientation
            && abs(difference) <= max(size.width, size.height)
    }

    /// Whether tiles cover an image, none of them in vain; and whether, where there are several, no two of them share
    /// chroma.
    fileprivate static func isCovered(_ size: PixelSize, by tile: PixelSize, columns: Int, rows: Int) -> Bool {
        func isCovered(_ side: Int, by tile: Int, count: Int) -> Bool {
            tile * (count - 1) < side && side <= tile * count && (count == 1 || tile % 2 == 0)
        }
        return isCovered(size.width, by: tile.width, count: columns)
            && isCovered(size.height, by: tile.height, count: rows)
    }
}

extension HEIFItems {
    /// Whether an item has no pixels of its own: it is laid together from tiles, or is another one anew.
    func isDerived(_ item: Int) -> Bool { ["grid", "iden"].contains(types[item]) }

    /// The image of an item, each part of which was inspected: this is what will be decoded.
    func image(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> HEIFImage {
        try checkKind(of: item, bytes)
        switch types[item] {
        case "grid": return try grid(item, bytes)
        case "iden":
            let parts = items(from: item, by: "dimg", bytes)
            guard let only = parts.first, parts.count == 1 else { throw .corrupt(format, "a picture of no picture") }
            var image = types[only] == "grid" ? try grid(only, bytes) : try plainPart(only, bytes)
            image.part = try shown(image.part, of: item, bytes)
            return image
        default:
            let tileBytes = try checkCoded(item, bytes).workingBytes
            let size = try storedSize(of: item, bytes)
            return HEIFImage(
                tiles: [item], columns: 1, tileSize: size, tileBytes: tileBytes, storedSize: size,
                part: try shown(VisibleRegion(size), of: item, bytes))
        }
    }

    private func plainPart(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> HEIFImage {
        guard !isDerived(item) else { throw .unsupported("\(format.name) of pictures in pictures") }
        return try image(of: item, bytes)
    }

    /// A grid's data give its rows, its columns, and its size a second time (ISO/IEC 23008-12, 6.6.2.3.2).
    private func grid(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> HEIFImage {
        try checkKind(of: item, bytes)
        let data = try data(of: item, bytes)
        let isLarge = data.span.byte(at: 1).map { $0 & 1 == 1 } ?? false
        let width = isLarge ? data.span.uint32(at: 4) : data.span.uint16(at: 4)
        let height = isLarge ? data.span.uint32(at: 8) : data.span.uint16(at: 6)
        let size = try storedSize(of: item, bytes)
        guard width == size.width, height == size.height else { throw .corrupt(format, "a grid of another size") }
        let tiles = items(from: item, by: "dimg", bytes)
        guard let rows = data.span.byte(at: 2).map({ Int($0) + 1 }),
            let columns = data.span.byte(at: 3).map({ Int($0) + 1 }), tiles.count == rows * columns
        else { throw .corrupt(format, "a grid without all of its tiles") }
        let tileSize = try storedSize(of: tiles[0], bytes)
        var tileBytes = 0
        for tile in Set(tiles) {
            let image = try plainPart(tile, bytes)
            tileBytes = max(tileBytes, image.tileBytes)
            guard image.part == VisibleRegion(tileSize) else { throw .unsupported("\(format.name) of unequal tiles") }
        }
        guard HEIFImage.isCovered(size, by: tileSize, columns: columns, rows: rows) else {
            throw .corrupt(format, "a grid that its tiles do not fill")
        }
        return HEIFImage(
            tiles: tiles, columns: columns, tileSize: tileSize, tileBytes: tileBytes, storedSize: size,
            part: try shown(VisibleRegion(size), of: item, bytes))
    }

    /// The size of an item's own pixels.
    func storedSize(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> PixelSize {
        let sizes = properties(of: item).filter { bytes.starts(with: "ispe", at: $0.type) }
        guard sizes.count == 1, let payload = sizes.first?.payload,
            let width = bytes.uint32(at: payload.lowerBound + 4), let height = bytes.uint32(at: payload.lowerBound + 8),
            width > 0, height > 0
        else { throw .corrupt(format, "a picture without a size") }
        guard max(width, height) < 1 << 31 else { throw .corrupt(format, "its size is \(width)×\(height)") }
        return PixelSize(width: width, height: height)
    }

    /// The part that an item's properties leave of another, turned as they say, in their order.
    private func shown(_ part: VisibleRegion, of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> VisibleRegion {
        var part = part
        for property in properties(of: item) {
            var fields = Fields(in: property.payload)
            if bytes.starts(with: "irot", at: property.type), let angle = fields.next(1, bytes) {
                part.turn(quarters: angle & 3)
            } else if bytes.starts(with: "imir", at: property.type), let axis = fields.next(1, bytes) {
                part.mirror(isHorizontal: axis & 1 == 1)
            } else if bytes.starts(with: "clap", at: property.type), let aperture = CleanAperture(&fields, bytes) {
                guard part.cut(aperture) else { throw .corrupt(format, "nothing shows of it") }
            }
        }
        return part
    }
}
