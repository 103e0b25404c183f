internal import CCodecs

/// The colours in the chunks before a PNG's pixels (PNG specification, third edition, 11.3.2).
///
/// The order of precedence is: the numbers of `cICP`; an `sRGB` chunk; a profile (`iCCP`); `gAMA`, with `cHRM` or else
/// with sRGB's primaries. `cHRM` alone is ignored. The first of two chunks of a kind applies.
struct PNGColors {
    private var chunks: [Chunk: Range<Int>] = [:]
    /// The coding in `cICP`; nil if there is none, or an invalid one.
    private var coding: ColorCoding?
    /// The light of the brightest pixel, or of the mastering screen, in cd/m²; nil if it is not specified.
    private let peak: Double?

    /// The relevant chunks, by the four letters of their types; a file may have millions of others.
    private enum Chunk: Int {
        case cICP = 0x6349_4350
        case mDCV = 0x6D44_4356
        case cLLI = 0x634C_4C49
        case sRGB = 0x7352_4742
        case iCCP = 0x6943_4350
        case gAMA = 0x6741_4D41
        case cHRM = 0x6348_524D
        case palette = 0x504C_5445
        case data = 0x4944_4154
    }

    /// Reads the chunks of a file whose header has been read.
    init(_ bytes: Span<UInt8>) {
        var offset = 8  // after the signature
        while let payload = PNGHeader.nextChunk(bytes, &offset) {
            guard let chunk = bytes.uint32(at: payload.lowerBound - 4).flatMap(Chunk.init) else { continue }
            if chunk == .data { break }
            guard chunks[chunk] == nil else { continue }
            chunks[chunk] = payload
            if chunk == .cICP, chunks[.palette] == nil { coding = PNGColors.coding(payload, bytes) }
        }
        let content = chunks[.cLLI].flatMap { $0.count == 8 ? bytes.uint32(at: $0.lowerBound) : nil }
        let screen = chunks[.mDCV].flatMap { $0.count == 24 ? bytes.uint32(at: $0.lowerBound + 16) : nil }
        peak = [content, screen].compactMap(\.self).first { $0 > 0 }.map { Double($0) / 10_000 }
    }

    /// Reads primaries, transfer characteristics, matrix coefficients, which must be none, and whether the range is
    /// full.
    private static func coding(_ payload: Range<Int>, _ bytes: Span<UInt8>) -> ColorCoding? {
        guard payload.count == 4 else { return nil }
        let numbers = payload.map { Int(bytes[$0]) }
        guard numbers[2] == 0, numbers[3] <= 1 else { return nil }
        return ColorCoding(primaries: numbers[0], transfer: numbers[1], matrix: 0, isFullRange: numbers[3] == 1)
    }

    /// The meaning of samples of limited range or high dynamic range; nil for other samples.
    var samples: CodedSamples? {
        guard let coding, coding.highDynamicRange != nil || !coding.isFullRange else { return nil }
        return CodedSamples(
            isFullRange: coding.isFullRange,
            toneMapper: coding.highDynamicRange.map { ToneMapper($0, colors: coding.colors, peak: peak) })
    }

    /// Returns the meaning of decoded samples after their conversion to 8 bits and standard dynamic range.
    func description(_ bytes: Span<UInt8>) -> ColorDescription {
        if let coding, !coding.isUnspecified {
            return coding.highDynamicRange == nil ? coding.description : .standard
        }
        if chunks[.sRGB] != nil { return .standard }
        if let profile = chunks[.iCCP] { return PNGColors.unpackProfile(bytes.extracting(profile)) }
        if let gamma = chunks[.gAMA] {
            return PNGColors.readPrimaries(bytes, gamma: gamma, primaries: chunks[.cHRM])
        }
        return chunks[.cICP] != nil && coding == nil ? .broken : .standard
    }

    /// Decompresses a profile: a name of 1 to 79 bytes, a zero, a zero for the only method of compression, and a zlib
    /// stream.
    private static func unpackProfile(_ chunk: Span<UInt8>) -> ColorDescription {
        var start = 0
        while start < 80, let byte = chunk.byte(at: start), byte != 0 { start += 1 }
        guard start > 0, chunk.byte(at: start) == 0, chunk.byte(at: start + 1) == 0 else { return .broken }
        let packed = chunk.extracting((start + 2)...)
        var unpacked: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = unsafe packed.withUnsafeBufferPointer { packed in
            unsafe ccodecs_inflate(
                packed.baseAddress, packed.count, ColorDescription.maxProfileBytes, &unpacked, &count)
        }
        defer { unsafe ccodecs_free(unpacked) }
        guard code == .CCODECS_OK else { return .broken }
        return ColorDescription.checked(unsafe Array(UnsafeBufferPointer(start: unpacked, count: count)))
    }

    /// Reads primaries in units of 1/100,000. An exponent close to 1/2.2 stands for sRGB's curve, since the
    /// specification requires it for sRGB.
    private static func readPrimaries(
        _ bytes: Span<UInt8>, gamma: Range<Int>, primaries: Range<Int>?
    ) -> ColorDescription {
        guard gamma.count == 4, let exponent = bytes.uint32(at: gamma.lowerBound),
            (10_000...1_000_000).contains(exponent)
        else {
            return .broken
        }
        var colors = PrimaryColors.sRGB
        if !(45_000...46_000).contains(exponent) { colors.exponent = 100_000 / Double(exponent) }
        if let primaries {
            guard primaries.count == 32 else { return .broken }
            let numbers = stride(from: primaries.lowerBound, to: primaries.upperBound, by: 4).map {
                Double(bytes.uint32(at: $0) ?? 0) / 100_000
            }
            guard numbers.allSatisfy({ (0...1).contains($0) }) else { return .broken }
            colors.white = SIMD2(numbers[0], numbers[1])
            colors.red = SIMD2(numbers[2], numbers[3])
            colors.green = SIMD2(numbers[4], numbers[5])
            colors.blue = SIMD2(numbers[6], numbers[7])
        }
        return colors == .sRGB ? .standard : .primaries(colors)
    }
}
