/// Reads what a HEIC or AVIF says of its primary picture (ISO/IEC 23008-12, clause 6).
///
/// Its own properties turn and mirror a picture, and the decoder applies them: sizes are upright, and the orientation
/// that EXIF gives is not looked at (ISO/IEC 23008-12, 6.5.10 and annex A).
struct HEIFHeader {
    let header: ImageHeader
    /// The pixels of all pictures that it takes to decode the primary one.
    let codedPixels: Int
    let primary: Int
    /// Smaller copies of the whole picture.
    let thumbnails: [(item: Int, size: PixelSize)]
    /// Where an embedded colour profile lies.
    let iccProfile: Range<Int>?

    static func read(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) -> HEIFHeader {
        let items = try HEIFItems(bytes, format: format)
        guard let primary = items.primary else { throw .unsupported("\(format.name) without a still picture") }
        let size = try items.size(of: primary, bytes)
        let alphas = items.items(to: primary, by: "auxl", bytes).filter { items.isAlpha($0, bytes) }
        var codedPixels = try items.codedPixels(of: primary, bytes)
        for alpha in alphas { codedPixels += try items.codedPixels(of: alpha, bytes) }
        var thumbnails: [(item: Int, size: PixelSize)] = []
        for item in items.items(to: primary, by: "thmb", bytes) where !items.isDerived(item) {
            guard let thumbnail = try? items.size(of: item, bytes), size.covers(thumbnail, factor: 1),
                (try? items.checkCoded(item, bytes)) != nil
            else { continue }
            thumbnails.append((item, thumbnail))
        }
        return HEIFHeader(
            header: ImageHeader(
                format: format, storedSize: size, orientation: .up, hasAlpha: !alphas.isEmpty, frameCount: 1),
            codedPixels: codedPixels, primary: primary, thumbnails: thumbnails,
            iccProfile: items.iccProfile(of: primary, bytes))
    }

    /// What to decode for views of such a size: the smallest copy that covers them, if there is no alpha, or all of it.
    func source(for largest: PixelSize) -> (item: Int, size: PixelSize) {
        let size = header.storedSize
        let covering = thumbnails.filter { thumbnail in
            // Rounding apart, a copy has the picture's proportions.
            let difference = thumbnail.size.width * size.height - thumbnail.size.height * size.width
            return !header.hasAlpha && thumbnail.size.covers(largest, factor: 1)
                && abs(difference) <= max(size.width, size.height)
        }
        return covering.min { $0.size.pixelCount < $1.size.pixelCount } ?? (primary, size)
    }
}

extension HEIFItems {
    /// Whether an item has no pixels of its own: it is laid together from tiles, or is another one anew.
    func isDerived(_ item: Int) -> Bool { ["grid", "iden"].contains(types[item]) }

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

    /// The size of an item as it is shown: its own, with what is cut off and turned.
    func size(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> PixelSize {
        var size = try storedSize(of: item, bytes)
        for property in properties(of: item) {
            var fields = Fields(in: property.payload)
            if bytes.starts(with: "irot", at: property.type), let angle = fields.next(1, bytes), angle & 1 == 1 {
                size = size.swapped
            } else if bytes.starts(with: "clap", at: property.type), let aperture = CleanAperture(&fields, bytes) {
                size = aperture.size(in: size)
            }
        }
        guard size.width > 0, size.height > 0 else { throw .corrupt(format, "nothing shows of it") }
        return size
    }

    /// Pixels that are to be decoded for an item: its own, or those of its parts, of which none may have parts again.
    ///
    /// Each was looked into, so that this is what will be decoded.
    func codedPixels(of item: Int, _ bytes: Span<UInt8>) throws(ImageError) -> Int {
        guard isDerived(item) else {
            try checkCoded(item, bytes)
            return min(try storedSize(of: item, bytes).pixelCount, 1 << 40)
        }
        if types[item] == "grid" { try checkGrid(item, bytes) }
        var counts: [Int: Int] = [:]
        var sum = min(try storedSize(of: item, bytes).pixelCount, 1 << 40)
        for part in items(from: item, by: "dimg", bytes) {
            guard !isDerived(part) else { throw .unsupported("\(format.name) of pictures in pictures") }
            if counts[part] == nil { counts[part] = try codedPixels(of: part, bytes) }
            sum += counts[part] ?? 0
        }
        return sum
    }

    /// A grid's data give its size a second time (ISO/IEC 23008-12, 6.6.2.3.2).
    private func checkGrid(_ item: Int, _ bytes: Span<UInt8>) throws(ImageError) {
        let data = try data(of: item, bytes)
        let isLarge = data.span.byte(at: 1).map { $0 & 1 == 1 } ?? false
        let width = isLarge ? data.span.uint32(at: 4) : data.span.uint16(at: 4)
        let height = isLarge ? data.span.uint32(at: 8) : data.span.uint16(at: 6)
        let size = try storedSize(of: item, bytes)
        guard width == size.width, height == size.height else { throw .corrupt(format, "a grid of another size") }
    }

    func isAlpha(_ item: Int, _ bytes: Span<UInt8>) -> Bool {
        properties(of: item).contains { property in
            let name = property.payload.lowerBound + 4
            return bytes.starts(with: "auxC", at: property.type)
                && (bytes.starts(with: "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: name)
                    || bytes.starts(with: "urn:mpeg:hevc:2015:auxid:1", at: name))
        }
    }

    func iccProfile(of item: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
        let profile = properties(of: item).first { property in
            let kind = property.payload.lowerBound
            return bytes.starts(with: "colr", at: property.type)
                && (bytes.starts(with: "prof", at: kind) || bytes.starts(with: "rICC", at: kind))
        }
        return profile.map { $0.payload.dropFirst(4) }
    }
}

/// What a `clap` property leaves of a picture (ISO/IEC 14496-12, 12.1.4): fractions of a width, a height, and how far
/// its middle is from the picture's.
private struct CleanAperture {
    private let values: [Double]

    init?(_ fields: inout Fields, _ bytes: Span<UInt8>) {
        var values: [Double] = []
        for index in 0..<4 {
            guard let numerator = fields.next(4, bytes), let denominator = fields.next(4, bytes), denominator != 0
            else { return nil }
            values.append(
                Double(index < 2 ? numerator : Int(Int32(truncatingIfNeeded: numerator))) / Double(denominator))
        }
        self.values = values
    }

    func size(in picture: PixelSize) -> PixelSize {
        PixelSize(
            width: length(values[0], offset: values[2], of: picture.width),
            height: length(values[1], offset: values[3], of: picture.height))
    }

    private func length(_ length: Double, offset: Double, of side: Int) -> Int {
        let first = (offset + Double(side - 1) / 2 - (length - 1) / 2).rounded(.down)
        let last = (length - 1 + first).rounded(.down)
        guard first.magnitude < 1e10, last.magnitude < 1e10 else { return 0 }
        return min(side - 1, Int(last)) - max(0, Int(first)) + 1
    }
}
