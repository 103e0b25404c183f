/// The primary image of a HEIC or AVIF and its properties (ISO/IEC 23008-12, clause 6).
///
/// The file's own properties crop, rotate and mirror an image; EXIF's orientation is ignored (ISO/IEC 23008-12, 6.5.10
/// and annex A).
struct HEIFHeader {
    let header: ImageHeader
    let image: HEIFImage
    /// The alpha, an image of the same shape; nil if there is none.
    let alpha: HEIFImage?
    /// Whether the colours are stored multiplied by alpha.
    let isPremultiplied: Bool
    /// Smaller copies of the whole image, with the same orientation.
    let thumbnails: [HEIFImage]
    let colors: HEIFColors
    let items: HEIFItems

    static func read(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) -> HEIFHeader {
        let items = try HEIFItems(bytes, format: format)
        guard let primary = items.primary else { throw items.refusalWithoutImage }
        let image = try items.image(of: primary, bytes)
        let (alpha, isPremultiplied) = try items.alpha(of: primary, image, bytes)
        var thumbnails: [HEIFImage] = []
        for item in items.items(to: primary, by: "thmb", bytes) where !items.isDerived(item) {
            guard let thumbnail = try? items.image(of: item, bytes), thumbnail.isCopy(of: image) else { continue }
            thumbnails.append(thumbnail)
        }
        return HEIFHeader(
            header: ImageHeader(
                format: format, storedSize: image.part.size, orientation: image.part.orientation,
                hasAlpha: alpha != nil, frameCount: 1),
            image: image, alpha: alpha, isPremultiplied: isPremultiplied, thumbnails: thumbnails,
            colors: HEIFColors(
                of: [primary] + items.items(from: primary, by: "dimg", bytes).prefix(1) + image.tiles.prefix(1),
                in: items, bytes),
            items: items)
    }

    /// Returns the smallest copy that suffices for targets of a size, as stored: at least twice their pixels along both
    /// sides, since such copies are coded coarsely.
    ///
    /// Nil if the image has alpha, or a high dynamic range that the copy may lack.
    func thumbnail(for largest: PixelSize) -> HEIFImage? {
        guard alpha == nil, colors.coding?.highDynamicRange == nil else { return nil }
        return thumbnails.filter { $0.part.size.covers(largest, factor: 2) }
            .min { $0.part.size.pixelCount < $1.part.size.pixelCount }
    }
}

extension HEIFItems {
    /// Returns an item's alpha: its own auxiliary image; for a derived item without one, that of its parts.
    fileprivate func alpha(
        of primary: Int, _ image: HEIFImage, _ bytes: Span<UInt8>
    ) throws(ImageError) -> (HEIFImage?, isPremultiplied: Bool) {
        if let item = alphaItem(of: primary, bytes) {
            let alpha = try self.image(of: item, bytes)
            guard alpha.storedSize == image.storedSize else { return (nil, false) }
            return (alpha.shown(as: image), items(from: primary, by: "prem", bytes).contains(item))
        }
        let tiles = image.tiles.compactMap { alphaItem(of: $0, bytes) }
        guard isDerived(primary), tiles.count == image.tiles.count, let first = image.tiles.first else {
            return (nil, false)
        }
        var tileBytes = 0
        for tile in Set(tiles) {
            guard !isDerived(tile), try storedSize(of: tile, bytes) == image.tileSize else { return (nil, false) }
            tileBytes = max(tileBytes, try checkCoded(tile, bytes).workingBytes)
        }
        return (image.made(of: tiles, tileBytes: tileBytes), items(from: first, by: "prem", bytes).contains(tiles[0]))
    }

    private func alphaItem(of item: Int, _ bytes: Span<UInt8>) -> Int? {
        items(to: item, by: "auxl", bytes).first { isAlpha($0, bytes) }
    }

    private func isAlpha(_ item: Int, _ bytes: Span<UInt8>) -> Bool {
        properties(of: item).contains { property in
            let name = property.payload.lowerBound + 4
            return bytes.starts(with: "auxC", at: property.type)
                && (bytes.starts(with: "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: name)
                    || bytes.starts(with: "urn:mpeg:hevc:2015:auxid:1", at: name))
        }
    }
}
