/// Reads the values from an AV1 image that its decoder obeys, whatever the file around it specifies (AV1 bitstream
/// specification, version 1.0.0 with errata 1).
struct AV1Inspector: CodedImageInspector {
    /// The largest size in a sequence header; a frame may have another size, which the decoder is configured to refuse.
    private var size = PixelSize(width: 0, height: 0)
    private var bytesPerPixel = 1.0
    private var frameCount = 0
    private var isPlain = true
    private var unitCount = 0
    private static let maxUnits = 2000

    /// The values of the largest sequence header; plain if the data is a single image. Its layers count as frames.
    var coded: CodedImageInfo {
        // libdav1d allocates whole blocks of 128×128 pixels, and metadata for blocks of 4×4.
        let (width, height) = (size.width + 128, size.height + 128)
        let pixelCount = min(PixelSize(width: width, height: height).pixelCount, 1 << 40)
        return CodedImageInfo(
            size: size, workingBytes: Int(Double(pixelCount) * (bytesPerPixel + 1)) + 2 << 20,
            isPlain: isPlain && (1...4).contains(frameCount))
    }

    /// Reads open bitstream units (5.3): type 1 is a sequence header, 3 and 6 are frames.
    mutating func take(_ data: Span<UInt8>) {
        var offset = 0
        while let header = data.byte(at: offset) {
            unitCount += 1
            guard unitCount <= AV1Inspector.maxUnits else { return isPlain = false }
            let (type, hasExtension, hasSize) = (header >> 3 & 0xF, header & 4 != 0, header & 2 != 0)
            offset += hasExtension ? 2 : 1
            let length = hasSize ? readLength(data, &offset) : data.count - offset
            guard let length, length >= 0, length <= data.count - offset else { return isPlain = false }
            if type == 1 { takeSequence(data.extracting(offset..<offset + length)) }
            if type == 3 || type == 6 { frameCount += 1 }
            offset += length
        }
    }

    /// Reads the units in a decoder configuration, `av1C`, after its first four bytes.
    mutating func take(configuration: Span<UInt8>) { take(configuration.extracting(min(4, configuration.count)...)) }

    /// Returns a configuration's units.
    static func units(in configuration: Span<UInt8>) -> [UInt8] {
        (min(4, configuration.count)..<configuration.count).map { configuration[$0] }
    }

    /// Reads a length of seven bits per byte, the lowest first (4.10.5).
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

    /// Reads a sequence header (5.5.1).
    private mutating func takeSequence(_ payload: Span<UInt8>) {
        var bits = BitCursor((0..<min(payload.count, 512)).map { payload[$0] })
        let profile = bits.next(3)
        bits.skip(1)  // whether the image is a still picture
        let isReduced = bits.nextFlag()
        if isReduced { bits.skip(5) } else { skipOperatingPoints(&bits) }
        let (widthBits, heightBits) = (bits.next(4) + 1, bits.next(4) + 1)
        let (width, height) = (bits.next(widthBits) + 1, bits.next(heightBits) + 1)
        if !isReduced, bits.nextFlag() { bits.skip(7) }  // frame numbers
        bits.skip(3)
        if !isReduced { skipInterTools(&bits) }
        let isScaled = bits.nextFlag()
        bits.skip(2)
        let imageBytes = readColors(&bits, profile: profile)
        let hasGrain = bits.nextFlag()
        if bits.isBehindEnd { isPlain = false }
        size = PixelSize(width: max(size.width, width), height: max(size.height, height))
        // Scaling and film grain need a second image.
        bytesPerPixel = max(bytesPerPixel, imageBytes * (isScaled || hasGrain ? 2 : 1))
    }

    /// Skips the flags of inter-frame tools, up to the number of order bits.
    private func skipInterTools(_ bits: inout BitCursor) {
        bits.skip(4)
        let hasOrder = bits.nextFlag()
        if hasOrder { bits.skip(2) }
        let hasScreenTools = bits.nextFlag() || bits.nextFlag()
        if hasScreenTools, !bits.nextFlag() { bits.skip(1) }
        if hasOrder { bits.skip(3) }
    }

    /// Returns the number of bytes per pixel for the depth and the chroma (5.5.2).
    private func readColors(_ bits: inout BitCursor, profile: Int) -> Double {
        let isDeep = bits.nextFlag()
        let isTwelve = profile == 2 && isDeep && bits.nextFlag()
        let isGrey = profile != 1 && bits.nextFlag()
        let description = bits.nextFlag() ? bits.next(24) : 0x02_0202
        let sampleBytes = isDeep ? 2.0 : 1.0
        if isGrey {
            bits.skip(1)
            return sampleBytes
        }
        guard description != 0x01_0D00 else {  // sRGB with the identity matrix
            bits.skip(1)
            return 3 * sampleBytes
        }
        bits.skip(1)
        let isNarrow = profile == 0 || profile == 2 && (!isTwelve || bits.nextFlag())
        let isLow = profile == 0 || isTwelve && isNarrow && bits.nextFlag()
        if isLow { bits.skip(2) }
        bits.skip(1)
        return sampleBytes * (isLow ? 1.5 : isNarrow ? 2 : 3)
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
