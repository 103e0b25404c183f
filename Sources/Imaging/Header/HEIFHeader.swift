/// Reads what a HEIC or AVIF says of its primary picture (ISO/IEC 23008-12, clause 6).
///
/// Its own properties cut, turn and mirror a picture; the orientation that EXIF gives is not looked at (ISO/IEC
/// 23008-12, 6.5.10 and annex A).
struct HEIFHeader {
    let header: ImageHeader
    let picture: HEIFPicture
    /// How opaque it is, from a picture of the same shape.
    let alpha: HEIFPicture?
    /// Whether the colours are stored multiplied with alpha.
    let isPremultiplied: Bool
    /// Smaller copies of the whole picture, turned in the same way.
    let thumbnails: [HEIFPicture]
    let colors: HEIFColors
    let items: HEIFItems

    static func read(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) -> HEIFHeader {
        let items = try HEIFItems(bytes, format: format)
        guard let primary = items.primary else { throw items.refusalWithoutPicture }
        let picture = try items.picture(of: primary, bytes)
        let (alpha, isPremultiplied) = try items.alpha(of: primary, picture, bytes)
        var thumbnails: [HEIFPicture] = []
        for item in items.items(to: primary, by: "thmb", bytes) where !items.isDerived(item) {
            guard let thumbnail = try? items.picture(of: item, bytes), thumbnail.isCopy(of: picture) else { continue }
            thumbnails.append(thumbnail)
        }
        return HEIFHeader(
            header: ImageHeader(
                format: format, storedSize: picture.part.size, orientation: picture.part.orientation,
                hasAlpha: alpha != nil, frameCount: 1),
            picture: picture, alpha: alpha, isPremultiplied: isPremultiplied, thumbnails: thumbnails,
            colors: HEIFColors(
                of: [primary] + items.items(from: primary, by: "dimg", bytes).prefix(1) + picture.tiles.prefix(1),
                in: items, bytes),
            items: items)
    }

    /// Refuses what would be decoded, though it does not show, beyond the limits.
    func check(_ limits: ImageLimits) throws(ImageError) {
        for coded in [picture.codedPixels, alpha?.codedPixels ?? 0] where coded > limits.maxPixels {
            throw limits.tooManyPixels("its tiles have", coded, maxPixels: limits.maxPixels, setting: "max-pixels")
        }
    }

    /// The smallest copy that is enough for views of a size, as stored: one with at least twice their pixels along both
    /// sides, since such copies are coded coarsely.
    ///
    /// Nil where there is alpha, or more light than a copy may have been told of.
    func thumbnail(for largest: PixelSize) -> HEIFPicture? {
        guard alpha == nil, colors.coding?.highDynamicRange == nil else { return nil }
        return thumbnails.filter { $0.part.size.covers(largest, factor: 2) }
            .min { $0.part.size.pixelCount < $1.part.size.pixelCount }
    }
}

extension HEIFItems {
    /// An item's alpha: an auxiliary picture's, or of a derived one that has none that of its parts.
    fileprivate func alpha(
        of primary: Int, _ picture: HEIFPicture, _ bytes: Span<UInt8>
    ) throws(ImageError) -> (HEIFPicture?, isPremultiplied: Bool) {
        if let item = alphaItem(of: primary, bytes) {
            let alpha = try self.picture(of: item, bytes)
            guard alpha.storedSize == picture.storedSize else { return (nil, false) }
            return (alpha.shown(as: picture), items(from: primary, by: "prem", bytes).contains(item))
        }
        let tiles = picture.tiles.compactMap { alphaItem(of: $0, bytes) }
        guard isDerived(primary), tiles.count == picture.tiles.count, let first = picture.tiles.first else {
            return (nil, false)
        }
        var tileBytes = 0
        for tile in Set(tiles) {
            guard !isDerived(tile), try storedSize(of: tile, bytes) == picture.tileSize else { return (nil, false) }
            tileBytes = max(tileBytes, try checkCoded(tile, bytes).workingBytes)
        }
        return (picture.made(of: tiles, tileBytes: tileBytes), items(from: first, by: "prem", bytes).contains(tiles[0]))
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
