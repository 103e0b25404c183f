internal import CCodecs

extension ColorDescription {
    /// Reads the colour chunks before a PNG's pixels (PNG specification, third edition, 11.3.2).
    ///
    /// An `sRGB` chunk settles it; else a profile (`iCCP`) does; else `gAMA`, with `cHRM` or with sRGB's primaries.
    /// `cHRM` alone, and `cICP`, say nothing to us.
    static func readPNG(_ bytes: Span<UInt8>) -> ColorDescription {
        var offset = 8  // after the signature
        var profile: Range<Int>?
        var (gamma, primaries) = (nil as Range<Int>?, nil as Range<Int>?)
        while let payload = PNGHeader.nextChunk(bytes, &offset) {
            let type = payload.lowerBound - 4
            if bytes.starts(with: "IDAT", at: type) { break }
            if bytes.starts(with: "sRGB", at: type) { return .standard }
            if bytes.starts(with: "iCCP", at: type), profile == nil { profile = payload }
            if bytes.starts(with: "gAMA", at: type) { gamma = payload }
            if bytes.starts(with: "cHRM", at: type) { primaries = payload }
        }
        if let profile { return unpackProfile(bytes.extracting(profile)) }
        guard let gamma else { return .standard }
        return readPrimaries(bytes, gamma: gamma, primaries: primaries)
    }

    /// A name of 1 to 79 bytes, a zero, a zero for the only method of compression, and a zlib stream.
    private static func unpackProfile(_ chunk: Span<UInt8>) -> ColorDescription {
        var start = 0
        while start < 80, let byte = chunk.byte(at: start), byte != 0 { start += 1 }
        guard start > 0, chunk.byte(at: start) == 0, chunk.byte(at: start + 1) == 0 else { return .broken }
        let packed = chunk.extracting((start + 2)...)
        var unpacked: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = unsafe packed.withUnsafeBufferPointer { packed in
            unsafe ccodecs_inflate(packed.baseAddress, packed.count, maxProfileBytes, &unpacked, &count)
        }
        defer { unsafe ccodecs_free(unpacked) }
        guard code == .CCODECS_OK else { return .broken }
        return checked(unsafe Array(UnsafeBufferPointer(start: unpacked, count: count)))
    }

    /// Numbers are in units of 1/100,000. Beside an exponent that is close to 1/2.2 writers mean sRGB's curve, as they
    /// are told to write it.
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
