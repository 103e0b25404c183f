/// Looks into an AV1 picture for what its decoder would obey, whatever the file says around it (AV1 bitstream
/// specification, version 1.0.0 with errata 1).
struct AV1Still {
    /// The largest size that a frame can have.
    private(set) var codedSize = PixelSize(width: 0, height: 0)
    private(set) var frameCount = 0
    /// Whether all is what it seems.
    private(set) var isPlain = true
    private var unitCount = 0
    private static let maxUnits = 2000

    /// Takes open bitstream units (5.3): of type 1 is a sequence header, of 3 and 6 are frames.
    mutating func take(_ data: Span<UInt8>) {
        var offset = 0
        while let header = data.byte(at: offset) {
            unitCount += 1
            guard unitCount <= AV1Still.maxUnits else { return isPlain = false }
            let (type, hasExtension, hasSize) = (header >> 3 & 0xF, header & 4 != 0, header & 2 != 0)
            offset += hasExtension ? 2 : 1
            let length = hasSize ? readLength(data, &offset) : data.count - offset
            guard let length, length >= 0, length <= data.count - offset else { return isPlain = false }
            if type == 1 { takeSequence(data.extracting(offset..<offset + length)) }
            if type == 3 || type == 6 { frameCount += 1 }
            offset += length
        }
    }

    /// Takes the units in a decoder configuration, `av1C`, behind its four bytes.
    mutating func take(configuration: Span<UInt8>) { take(configuration.extracting(min(4, configuration.count)...)) }

    /// Seven bits a byte, the lowest first (4.10.5).
    private func readLength(_ data: Span<UInt8>, _ offset: inout Int) -> Int? {
        var value = 0
        for index in 0..<5 {
            guard let byte = data.byte(at: offset) else { return nil }
            offset += 1
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// The beginning of a sequence header (5.5.1), up to its size.
    ///
    /// Unless all frames have the sequence's size, one may have any that its bits can say.
    private mutating func takeSequence(_ payload: Span<UInt8>) {
        var bits = BitCursor((0..<min(payload.count, 512)).map { payload[$0] })
        bits.skip(4)  // profile, whether it is a still picture
        let isReduced = bits.nextFlag()
        if isReduced { bits.skip(5) } else { skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.next(4) + 1, bits.next(4) + 1)
        let (width, height) = (bits.next(widthBits) + 1, bits.next(heightBits) + 1)
        if bits.isBehindEnd { isPlain = false }
        codedSize = PixelSize(
            width: max(codedSize.width, isReduced ? width : 1 << widthBits),
            height: max(codedSize.height, isReduced ? height : 1 << heightBits))
    }

    private func skipOperatingPoints(_ bits: inout BitCursor) {
        var (hasModel, delayBits) = (false, 0)
        if bits.nextFlag() {  // timing
            bits.skip(64)
            if bits.nextFlag() { _ = bits.nextExponential() }
            hasModel = bits.nextFlag()
            if hasModel {
                delayBits = bits.next(5) + 1
                bits.skip(42)
            }
        }
        let hasDelays = bits.nextFlag()
        for _ in 0...bits.next(5) {
            bits.skip(12)
            if bits.next(5) > 7 { bits.skip(1) }
            if hasModel, bits.nextFlag() { bits.skip(2 * delayBits + 1) }
            if hasDelays, bits.nextFlag() { bits.skip(4) }
        }
    }
}
