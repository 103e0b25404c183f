/// Reads what a HEIC or AVIF says of its primary image (ISO/IEC 23008-12, clause 6).
///
/// Its own properties cut, turn and mirror an image; the orientation that EXIF gives is not looked at (ISO/IEC
/// 23008-12, 6.5.10 and annex A).
struct HEIFHeader {
    let header: ImageHeader
    let image: HEIFImage
    /// The alpha, from an image of the same shape.
    let alpha: HEIFImage?
    /// Whether the colours are stored multiplied with alpha.
    let isPremultiplied: Bool
    /// Smaller copies of the whole image, turned in the same way.
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

    /// The smallest copy that is enough for targets of a size, as stored: one with at least twice their pixels along
    /// both sides, since such copies are coded coarsely.
    ///
    /// Nil where there is alpha, or more light than a copy may have been told of.
    func thumbnail(for largest: PixelSize) -> HEIFImage? {
        guard alpha == nil, colors.coding?.highDynamicRange == nil else { return nil }
        return thumbnails.filter { $0.part.size.covers(largest, factor: 2) }
            .min { $0.part.size.pixelCount < $1.part.size.pixelCount }
    }
}

extension HEIFItems {
    /// An item's alpha: an auxiliary image's, or of a derived one that has none that of its parts.
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
