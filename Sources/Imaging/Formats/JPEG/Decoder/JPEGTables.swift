/// The tables in a JPEG's segments that have been read so far (T.81, annex B).
struct JPEGTables {
    var quantization: [[UInt16]?] = [nil, nil, nil, nil]
    var dcCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    var acCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    var restartInterval = 0
    private var codeCount = 0
    /// The maximum number of codes; an image of 100 scans with new codes for each has 800.
    private static let maxCodes = 1000

    /// Reads the definitions of a segment that is neither a frame header nor a scan header; returns false for unusual
    /// ones.
    mutating func read(_ marker: UInt8, _ segment: Span<UInt8>) -> Bool {
        switch marker {
        case 0xC4: return readHuffmanCodes(segment)
        case 0xDB: return readQuantization(segment)
        case 0xDD:
            guard segment.count == 2, let interval = segment.uint16(at: 0) else { return false }
            restartInterval = interval
            return true
        case 0xEE: return isYCbCr(segment)
        case 0xE0...0xEF, 0xFE: return true
        default: return false
        }
    }

    /// Reads quantisation tables (DQT): Pq and Tq, then 64 steps of one or two bytes (T.81, B.2.4.1).
    private mutating func readQuantization(_ segment: Span<UInt8>) -> Bool {
        var offset = 0
        while let selector = segment.byte(at: offset) {
            let (isWide, table) = (selector >> 4 != 0, Int(selector & 15))
            let stepBytes = isWide ? 2 : 1
            guard selector >> 4 <= 1, table < 4, offset + 1 + 64 * stepBytes <= segment.count else { return false }
            let first = offset + 1
            quantization[table] = (0..<64).compactMap { step in
                isWide
                    ? segment.uint16(at: first + 2 * step).map(UInt16.init)
                    : segment.byte(at: first + step).map(UInt16.init)
            }
            offset = first + 64 * stepBytes
        }
        return true
    }

    /// Reads Huffman tables (DHT): Tc and Th, 16 counts, and the symbols (T.81, B.2.4.2).
    private mutating func readHuffmanCodes(_ segment: Span<UInt8>) -> Bool {
        var offset = 0
        while let selector = segment.byte(at: offset) {
            let (tableClass, table) = (selector >> 4, Int(selector & 15))
            let counts = (1...16).compactMap { segment.byte(at: offset + $0) }
            let symbolCount = counts.reduce(0) { $0 + Int($1) }
            let symbols = (0..<symbolCount).compactMap { segment.byte(at: offset + 17 + $0) }
            codeCount += 1
            guard tableClass <= 1, table < 4, codeCount <= JPEGTables.maxCodes,
                let code = HuffmanCode(counts: counts, symbols: symbols)
            else {
                return false
            }
            if tableClass == 0 { dcCodes[table] = code } else { acCodes[table] = code }
            offset += 17 + symbolCount
        }
        return true
    }

    /// Whether an APP14 segment specifies the YCbCr transform; others are left to libjpeg.
    private func isYCbCr(_ segment: Span<UInt8>) -> Bool {
        !segment.starts(with: "Adobe") || segment.byte(at: 11) == 1
    }

    /// Reads a frame header (SOF0, SOF1 or SOF2; T.81, B.2.2), with the quantisation tables so far.
    func frame(_ segment: Span<UInt8>) -> SequentialFrame? {
        guard segment.byte(at: 0) == 8, let height = segment.uint16(at: 1), let width = segment.uint16(at: 3),
            let count = segment.byte(at: 5), count == 1 || count == 3, segment.count == 6 + 3 * Int(count),
            width > 0, height > 0
        else { return nil }
        var components = (0..<Int(count)).compactMap { component(segment, at: 6 + 3 * $0) }
        // The blocks of a single component are not interleaved, whatever its factors are (T.81, A.2.2).
        if count == 1, components.count == 1 {
            components[0].factors = .one
        }
        guard components.count == Int(count), areUsual(components) else { return nil }
        return SequentialFrame(
            size: PixelSize(width: width, height: height), components: components, restartInterval: 0, scanOffset: 0
        )
    }

    private func component(_ segment: Span<UInt8>, at offset: Int) -> SequentialFrame.Component? {
        guard let identifier = segment.byte(at: offset), let factors = segment.byte(at: offset + 1),
            let selector = segment.byte(at: offset + 2), selector < 4,
            let quantization = quantization[Int(selector)],
            (1...4).contains(factors >> 4), (1...4).contains(factors & 15)
        else { return nil }
        return SequentialFrame.Component(
            identifier: identifier,
            factors: SamplingFactors(horizontal: Int(factors >> 4), vertical: Int(factors & 15)),
            quantization: quantization)
    }

    /// Whether luma has full resolution and the other components whole fractions of it, with at most 10 blocks per unit
    /// (T.81, B.2.3), and the components' identifiers differ and are not those of red, green and blue.
    private func areUsual(_ components: [SequentialFrame.Component]) -> Bool {
        let factors = components.map(\.factors)
        let blocks = factors.reduce(0) { $0 + $1.horizontal * $1.vertical }
        let areWhole = factors.allSatisfy {
            factors[0].horizontal % $0.horizontal == 0 && factors[0].vertical % $0.vertical == 0
        }
        let identifiers = components.map(\.identifier)
        return areWhole && blocks <= 10 && Set(identifiers).count == components.count
            && identifiers != Array("RGB".utf8)
    }
}
