/// Looks into an HEVC picture for what its decoder would obey, whatever the file says around it (ITU-T H.265).
///
/// The decoder allocates what a parameter set says, and decodes as many pictures as there are.
struct HEVCStill {
    /// The largest size that a parameter set gives.
    private(set) var codedSize = PixelSize(width: 0, height: 0)
    private(set) var pictureCount = 0
    /// Whether all pictures stand alone, and all is what it seems.
    private(set) var isPlain = true
    private var unitCount = 0
    /// A slice each is usual; this is enough for a slice a row of blocks.
    private static let maxUnits = 2000

    /// Takes NAL units, each behind its length in four bytes.
    mutating func take(_ data: Span<UInt8>) {
        var offset = 0
        while isPlain, let length = data.uint32(at: offset), length <= data.count - offset - 4 {
            take(unit: data.extracting(offset + 4..<offset + 4 + length))
            offset += 4 + length
        }
        if offset != data.count { isPlain = false }
    }

    /// Takes the units in a decoder configuration, `hvcC`: arrays of units behind two bytes of length (ISO/IEC 14496-15,
    /// 8.3.3.1).
    mutating func take(configuration: Span<UInt8>) {
        guard let arrayCount = configuration.byte(at: 22) else { return isPlain = false }
        var offset = 23
        for _ in 0..<arrayCount {
            guard let unitCount = configuration.uint16(at: offset + 1) else { return isPlain = false }
            offset += 3
            for _ in 0..<unitCount {
                guard let length = configuration.uint16(at: offset), length <= configuration.count - offset - 2 else {
                    return isPlain = false
                }
                take(unit: configuration.extracting(offset + 2..<offset + 2 + length))
                offset += 2 + length
            }
        }
    }

    /// The header's second to seventh bit are the unit's type (7.4.2.2): 16 to 21 begin anew, 33 is a sequence parameter
    /// set. The bit behind the header of a picture's first slice is set (7.3.6.1).
    private mutating func take(unit: Span<UInt8>) {
        unitCount += 1
        guard let header = unit.byte(at: 0), unitCount <= HEVCStill.maxUnits else { return isPlain = false }
        let type = header >> 1 & 0x3F
        if type < 32 {
            if !(16...21).contains(type) { isPlain = false }
            if let slice = unit.byte(at: 2), slice & 0x80 != 0 { pictureCount += 1 }
        } else if type == 33 {
            takeParameters(unit.extracting(min(2, unit.count)...))
        }
    }

    /// The beginning of a sequence parameter set (7.3.2.2), up to its size.
    private mutating func takeParameters(_ payload: Span<UInt8>) {
        var bits = BitCursor(HEVCStill.unescaped(payload, prefix: 512))
        bits.skip(4)
        let subLayers = bits.next(3)
        bits.skip(1 + 96)  // the general profile, tier and level
        let flags = (0..<subLayers).map { _ in (hasProfile: bits.nextFlag(), hasLevel: bits.nextFlag()) }
        if subLayers > 0 { bits.skip(2 * (8 - subLayers)) }
        for (hasProfile, hasLevel) in flags { bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
        _ = bits.nextExponential()  // its number
        if bits.nextExponential() == 3 { bits.skip(1) }
        let (width, height) = (bits.nextExponential(), bits.nextExponential())
        if bits.isBehindEnd { isPlain = false }
        codedSize = PixelSize(width: max(codedSize.width, width), height: max(codedSize.height, height))
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
