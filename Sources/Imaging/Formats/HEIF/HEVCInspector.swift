/// Reads from an HEVC image what its decoder would obey, whatever the file says around it (ITU-T H.265).
///
/// The decoder allocates what a parameter set says, and decodes as many images as there are.
struct HEVCInspector: CodedImageInspector {
    private var size = PixelSize(width: 0, height: 0)
    private var (samplesPerPixel, bits) = (1.0, 8)
    private var imageCount = 0
    private var (isPlain, isLayered) = (true, false)
    private var unitCount = 0
    private var lengthSize = 4
    /// A slice each is usual; this is enough for a slice a row of blocks.
    private static let maxUnits = 2000

    /// The largest parameter set's values; plain if it is of one image that stands alone.
    var coded: CodedImageInfo {
        // Beside the image libde265 has a copy of a plane, and notes on blocks of four by four.
        let bytesPerPixel = (samplesPerPixel + 1) * (bits > 8 ? 2 : 1) + 1
        return CodedImageInfo(
            size: size, workingBytes: Int(Double(min(size.pixelCount, 1 << 40)) * bytesPerPixel) + 1 << 20,
            isPlain: isPlain && imageCount == 1, isLayered: isLayered)
    }

    /// Takes NAL units, each behind its length, which has as many bytes as the configuration that was taken says.
    mutating func take(_ data: Span<UInt8>) {
        var units = Fields(in: 0..<data.count)
        while isPlain, units.offset < data.count {
            guard let length = units.next(lengthSize, data), let unit = units.skip(length) else {
                return isPlain = false
            }
            take(unit: data.extracting(unit))
        }
    }

    /// Takes the units in a decoder configuration, `hvcC`.
    mutating func take(configuration: Span<UInt8>) {
        lengthSize = HEVCInspector.lengthSize(in: configuration)
        guard let units = HEVCInspector.places(in: configuration) else { return isPlain = false }
        for unit in units { take(unit: configuration.extracting(unit)) }
    }

    /// A configuration's units, each behind its length in four bytes.
    static func units(in configuration: Span<UInt8>) -> [UInt8] {
        (places(in: configuration) ?? []).flatMap { unit in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit.count >> $0) } + unit.map { configuration[$0] }
        }
    }

    /// The number of bytes of the lengths before units; 3 is not allowed, but would do.
    static func lengthSize(in configuration: Span<UInt8>) -> Int { Int((configuration.byte(at: 21) ?? 3) & 3) + 1 }

    /// An image's units, each behind its length in four bytes; up to one that reaches beyond the end.
    static func units(of data: [UInt8], lengthSize: Int) -> [UInt8] {
        guard lengthSize != 4 else { return data }
        var units = Fields(in: 0..<data.count)
        var framed: [UInt8] = []
        while let length = units.next(lengthSize, data.span), let unit = units.skip(length) {
            framed += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + data[unit]
        }
        return framed
    }

    /// Arrays of units behind two bytes of length (ISO/IEC 14496-15, 8.3.3.1); nil where one reaches beyond the end.
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

    /// The header's second to seventh bit are the unit's type (7.4.2.2): 16 to 21 begin anew, 33 is a sequence
    /// parameter set. The next six say in which layer it is; those above layer 0 are other decoders' (annex F). The bit
    /// behind the header of an image's first slice is set (7.3.6.1).
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

    /// The beginning of a sequence parameter set (7.3.2.2), up to its depth.
    private mutating func takeParameters(_ payload: Span<UInt8>) {
        var bits = BitCursor(HEVCInspector.unescaped(payload, prefix: 512))
        bits.skip(4)
        let subLayers = bits.next(3)
        bits.skip(1 + 96)  // the general profile, tier and level
        let flags = (0..<subLayers).map { _ in (hasProfile: bits.nextFlag(), hasLevel: bits.nextFlag()) }
        if subLayers > 0 { bits.skip(2 * (8 - subLayers)) }
        for (hasProfile, hasLevel) in flags { bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
        _ = bits.nextExponential()  // its number
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

    /// The first bytes without those that keep start codes away (7.3.1.1).
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
    /// A number that is to be a side of an image: one that is too large for that is as large as can be.
    fileprivate mutating func nextSide() -> Int { min(nextExponential(), Int(Int32.max)) }
}
