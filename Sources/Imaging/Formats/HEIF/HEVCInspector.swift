/// Reads the values from an HEVC image that its decoder obeys, whatever the file around it specifies (ITU-T H.265).
///
/// The decoder allocates the memory that a parameter set demands, and decodes all images that are present.
struct HEVCInspector: CodedImageInspector {
    private var size = PixelSize(width: 0, height: 0)
    private var (samplesPerPixel, bits) = (1.0, 8)
    private var imageCount = 0
    private var (isPlain, isLayered) = (true, false)
    private var unitCount = 0
    private var lengthSize = 4
    /// The maximum number of units. Usually an image is one slice; this suffices for a slice per row of blocks.
    private static let maxUnits = 2000

    /// The values of the largest parameter set; plain if the data is a single, independent image.
    var coded: CodedImageInfo {
        // In addition to the image, libde265 allocates a copy of a plane, and metadata for blocks of 4×4 pixels.
        let bytesPerPixel = (samplesPerPixel + 1) * (bits > 8 ? 2 : 1) + 1
        return CodedImageInfo(
            size: size, workingBytes: Int(Double(min(size.pixelCount, 1 << 40)) * bytesPerPixel) + 1 << 20,
            isPlain: isPlain && imageCount == 1, isLayered: isLayered)
    }

    /// Reads NAL units, each preceded by its length, whose size in bytes the configuration specifies.
    mutating func take(_ data: Span<UInt8>) {
        var units = Fields(in: 0..<data.count)
        while isPlain, units.offset < data.count {
            guard let length = units.next(lengthSize, data), let unit = units.skip(length) else {
                return isPlain = false
            }
            take(unit: data.extracting(unit))
        }
    }

    /// Reads the units in a decoder configuration, `hvcC`.
    mutating func take(configuration: Span<UInt8>) {
        lengthSize = HEVCInspector.lengthSize(in: configuration)
        guard let units = HEVCInspector.places(in: configuration) else { return isPlain = false }
        for unit in units { take(unit: configuration.extracting(unit)) }
    }

    /// Returns a configuration's units, each preceded by its length in four bytes.
    static func units(in configuration: Span<UInt8>) -> [UInt8] {
        (places(in: configuration) ?? []).flatMap { unit in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit.count >> $0) } + unit.map { configuration[$0] }
        }
    }

    /// Returns the number of bytes of a unit's length; 3 is not allowed by the standard, but works.
    static func lengthSize(in configuration: Span<UInt8>) -> Int { Int((configuration.byte(at: 21) ?? 3) & 3) + 1 }

    /// Returns an image's units, each preceded by its length in four bytes, up to a unit that extends beyond the end.
    static func units(of data: [UInt8], lengthSize: Int) -> [UInt8] {
        guard lengthSize != 4 else { return data }
        var units = Fields(in: 0..<data.count)
        var framed: [UInt8] = []
        while let length = units.next(lengthSize, data.span), let unit = units.skip(length) {
            framed += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + data[unit]
        }
        return framed
    }

    /// Returns the ranges of the units in arrays, each preceded by its length in two bytes (ISO/IEC 14496-15, 8.3.3.1);
    /// nil if one extends beyond the end.
    private static func places(in configuration: Span<UInt8>) -> [Range<Int>]? {
        guard let arrayCount = configuration.byte(at: 22) else { return nil }
        var places: [Range<Int>] = []
        var offset = 23
        for _ in 0..<arrayCount {
            guard let unitCount = configuration.uint16(at: offset + 1) else { return nil }
            offset += 3
            for _ in 0..<unitCount {
                guard let length = configuration.uint16(at: offset), length <= configuration.count - offset - 2 else {
                    return nil
                }
                places.append(offset + 2..<offset + 2 + length)
                offset += 2 + length
            }
        }
        return places
    }

    /// Reads a unit. The second to seventh bits of its header are its type (7.4.2.2): 16 to 21 are pictures that refer
    /// to no others, 33 is a sequence parameter set. The next six bits are its layer; layers above 0 are for other
    /// decoders (annex F). The bit after the header of an image's first slice is set (7.3.6.1).
    private mutating func take(unit: Span<UInt8>) {
        unitCount += 1
        guard let header = unit.byte(at: 0), unitCount <= HEVCInspector.maxUnits else { return isPlain = false }
        let (type, layer) = (header >> 1 & 0x3F, (header & 1) << 5 | (unit.byte(at: 1) ?? 0) >> 3)
        guard layer == 0 else { return isLayered = true }
        if type < 32 {
            if !(16...21).contains(type) { isPlain = false }
            if let slice = unit.byte(at: 2), slice & 0x80 != 0 { imageCount += 1 }
        } else if type == 33 {
            takeParameters(unit.extracting(min(2, unit.count)...))
        }
    }

    /// Reads the beginning of a sequence parameter set (7.3.2.2), up to the depth.
    private mutating func takeParameters(_ payload: Span<UInt8>) {
        var bits = BitCursor(HEVCInspector.unescaped(payload, prefix: 512))
        bits.skip(4)
        let subLayers = bits.next(3)
        bits.skip(1 + 96)  // the general profile, tier and level
        let flags = (0..<subLayers).map { _ in (hasProfile: bits.nextFlag(), hasLevel: bits.nextFlag()) }
        if subLayers > 0 { bits.skip(2 * (8 - subLayers)) }
        for (hasProfile, hasLevel) in flags { bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
        _ = bits.nextExponential()  // the parameter set's number
        let chroma = bits.nextExponential()
        if chroma == 3 { bits.skip(1) }
        let (width, height) = (bits.nextSide(), bits.nextSide())
        if bits.nextFlag() { for _ in 0..<4 { _ = bits.nextExponential() } }  // the conformance window
        let depth = 8 + max(bits.nextExponential(), bits.nextExponential())
        if bits.isBehindEnd { isPlain = false }
        size = PixelSize(width: max(size.width, width), height: max(size.height, height))
        samplesPerPixel = max(samplesPerPixel, [1, 1.5, 2].indices.contains(chroma) ? [1, 1.5, 2][chroma] : 3)
        self.bits = max(self.bits, depth)
    }

    /// Returns the first bytes without the emulation prevention bytes, which avoid start codes (7.3.1.1).
    private static func unescaped(_ payload: Span<UInt8>, prefix: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var zeros = 0
        for index in 0..<min(payload.count, prefix) {
            let byte = payload[index]
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        return bytes
    }
}

extension BitCursor {
    /// Reads a number that is a side of an image; larger numbers are clamped to the maximum.
    fileprivate mutating func nextSide() -> Int { min(nextExponential(), Int(Int32.max)) }
}
