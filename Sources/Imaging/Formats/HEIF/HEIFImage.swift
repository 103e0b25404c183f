/// An image of a HEIC or AVIF as stored: one coded image, or a grid of them.
struct HEIFImage {
    /// The items of the coded images, row by row from the top left.
    private(set) var tiles: [Int]
    /// The number of tiles in a row.
    let columns: Int
    let tileSize: PixelSize
    /// The maximum memory for decoding a tile, in bytes.
    private(set) var tileBytes: Int
    /// The size of the image in pixels; the last tiles may extend beyond it.
    let storedSize: PixelSize
    fileprivate(set) var part: VisibleRegion

    /// The number of pixels of all tiles.
    var codedPixels: Int { min(tileSize.pixelCount, 1 << 40) * tiles.count }

    /// Returns this image with the visible part of another one.
    func shown(as other: HEIFImage) -> HEIFImage {
        var result = self
        result.part = other.part
        return result
    }

    /// Returns the same grid with other tiles.
    func made(of tiles: [Int], tileBytes: Int) -> HEIFImage {
        var result = self
        (result.tiles, result.tileBytes) = (tiles, tileBytes)
        return result
    }

    /// Whether this may replace an image: it is no larger, and has the same orientation and, except for rounding,
    /// proportions.
    func isCopy(of image: HEIFImage) -> Bool {
        let (copy, size) = (part.size, image.part.size)
        let difference = copy.width * size.height - copy.height * size.width
        return size.covers(copy, factor: 1) && part.orientation == image.part.orientation
            && abs(difference) <= max(size.width, size.height)
    }

    /// Whether tiles cover an image without surplus ones; and, if there are several, whether no two of them share a
    /// chroma sample.
    fileprivate static func isCovered(_ size: PixelSize, by tile: PixelSize, columns: Int, rows: Int) -> Bool {
        func isCovered(_ side: Int, by tile: Int, count: Int) -> Bool {
            tile * (count - 1) < side && side <= tile * count && (count == 1 || tile % 2 == 0)
        }
        return isCovered(size.width, by: tile.width, count: columns)
            && isCovered(size.height, by: tile.height, count: rows)
    }
}

extension HEIFItems {
    /// Whether an item has no pixels of its own: it is composed of tiles, or repeats another item.
    func isDerived(_ item: Int) -> Bool { ["grid", "iden"].contains(types[item]) }

    /// Returns the image of an item after inspecting all its parts, so that it describes the data that will be decoded.
    func image(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> HEIFImage {
        try checkKind(of: item, bytes)
        switch types[item] {
        case "grid": return try grid(item, bytes)
        case "iden":
            let parts = items(from: item, by: "dimg", bytes)
            guard let only = parts.first, parts.count == 1 else { throw .corrupt(format, "no source picture") }
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

    /// Reads a grid, whose data specifies its rows and columns, and repeats its size (ISO/IEC 23008-12, 6.6.2.3.2).
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

    /// Returns the size of an item's own pixels.
    func storedSize(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> PixelSize {
        let sizes = properties(of: item).filter { bytes.starts(with: "ispe", at: $0.type) }
        guard sizes.count == 1, let payload = sizes.first?.payload,
            let width = bytes.uint32(at: payload.lowerBound + 4), let height = bytes.uint32(at: payload.lowerBound + 8),
            width > 0, height > 0
        else { throw .corrupt(format, "a picture without a size") }
        guard max(width, height) < 1 << 31 else { throw .corrupt(format, "its size is \(width)×\(height)") }
        return PixelSize(width: width, height: height)
    }

    /// Returns the visible part of an item, after cropping and turning it by its properties in their order.
    private func shown(_ part: VisibleRegion, of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> VisibleRegion {
        var part = part
        for property in properties(of: item) {
            var fields = Fields(in: property.payload)
            if bytes.starts(with: "irot", at: property.type), let angle = fields.next(1, bytes) {
                part.turn(quarters: angle & 3)
            } else if bytes.starts(with: "imir", at: property.type), let axis = fields.next(1, bytes) {
                part.mirror(isHorizontal: axis & 1 == 1)
            } else if bytes.starts(with: "clap", at: property.type), let aperture = CleanAperture(&fields, bytes) {
                guard part.cut(aperture) else { throw .corrupt(format, "no part of it is visible") }
            }
        }
        return part
    }
}
