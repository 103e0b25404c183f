extension SequentialFrame {
    /// Reads the marker segments up to the first scan (T.81, annex B).
    ///
    /// Nil for whatever is unusual or not quite right: then libjpeg is to say what it thinks of it.
    static func read(_ bytes: Span<UInt8>) -> SequentialFrame? {
        var tables = Tables()
        var frame: SequentialFrame?
        var offset = 2  // after the start-of-image marker
        while let (marker, payload) = try? JPEGHeader.nextSegment(bytes, &offset) {
            let segment = bytes.extracting(payload)
            switch marker {
            case 0xC0, 0xC1:
                guard frame == nil, let first = tables.frame(segment) else { return nil }
                frame = first
            case 0xC4:
                guard tables.readHuffmanCodes(segment) else { return nil }
            case 0xDB:
                // Steps that follow the frame header belong to it as well; such a file is not worth the trouble.
                guard frame == nil, tables.readQuantization(segment) else { return nil }
            case 0xDD:
                guard segment.count == 2, let interval = segment.uint16(at: 0) else { return nil }
                tables.restartInterval = interval
            case 0xDA:
                guard var frame, tables.select(segment, for: &frame) else { return nil }
                frame.restartInterval = tables.restartInterval
                frame.scanOffset = payload.upperBound
                return frame
            case 0xEE:
                guard tables.readAdobe(segment) else { return nil }
            case 0xE0...0xEF, 0xFE:
                continue
            default:
                return nil
            }
        }
        return nil
    }

    /// The tables that stand in the segments so far.
    private struct Tables {
        var quantization: [[UInt16]?] = [nil, nil, nil, nil]
        var dcCodes: [HuffmanCode?] = [nil, nil, nil, nil]
        var acCodes: [HuffmanCode?] = [nil, nil, nil, nil]
        var restartInterval = 0

        /// DQT: Pq and Tq, then 64 steps of one or two bytes (T.81, B.2.4.1).
        mutating func readQuantization(_ segment: Span<UInt8>) -> Bool {
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

        /// DHT: Tc and Th, 16 counts, and the symbols (T.81, B.2.4.2).
        mutating func readHuffmanCodes(_ segment: Span<UInt8>) -> Bool {
            var offset = 0
            while let selector = segment.byte(at: offset) {
                let (tableClass, table) = (selector >> 4, Int(selector & 15))
                let counts = (1...16).compactMap { segment.byte(at: offset + $0) }
                let symbolCount = counts.reduce(0) { $0 + Int($1) }
                let symbols = (0..<symbolCount).compactMap { segment.byte(at: offset + 17 + $0) }
                guard tableClass <= 1, table < 4, let code = HuffmanCode(counts: counts, symbols: symbols) else {
                    return false
                }
                if tableClass == 0 { dcCodes[table] = code } else { acCodes[table] = code }
                offset += 17 + symbolCount
            }
            return true
        }

        /// APP14: a colour transform other than YCbCr is none of ours.
        func readAdobe(_ segment: Span<UInt8>) -> Bool {
            !segment.starts(with: "Adobe") || segment.byte(at: 11) == 1
        }

        /// SOF0 or SOF1 (T.81, B.2.2).
        func frame(_ segment: Span<UInt8>) -> SequentialFrame? {
            guard segment.byte(at: 0) == 8, let height = segment.uint16(at: 1), let width = segment.uint16(at: 3),
                let count = segment.byte(at: 5), count == 1 || count == 3, segment.count == 6 + 3 * Int(count),
                width > 0, height > 0
            else { return nil }
            var components = (0..<Int(count)).compactMap { component(segment, at: 6 + 3 * $0) }
            // A lone component's blocks stand one by one, whatever its factors are (T.81, A.2.2).
            if count == 1, components.count == 1 {
                components[0].factors = .one
            }
            guard components.count == Int(count), SequentialFrame.areUsual(components) else { return nil }
            return SequentialFrame(
                size: PixelSize(width: width, height: height), components: components, restartInterval: 0, scanOffset: 0
            )
        }

        private func component(_ segment: Span<UInt8>, at offset: Int) -> Component? {
            guard let identifier = segment.byte(at: offset), let factors = segment.byte(at: offset + 1),
                let selector = segment.byte(at: offset + 2), selector < 4,
                let quantization = quantization[Int(selector)],
                (1...4).contains(factors >> 4), (1...4).contains(factors & 15)
            else { return nil }
            return Component(
                identifier: identifier,
                factors: SamplingFactors(horizontal: Int(factors >> 4), vertical: Int(factors & 15)),
                quantization: quantization)
        }

        /// SOS: all components, all coefficients, all bits (T.81, B.2.3).
        func select(_ segment: Span<UInt8>, for frame: inout SequentialFrame) -> Bool {
            let count = frame.components.count
            guard segment.count == 4 + 2 * count, segment.byte(at: 0) == UInt8(count),
                segment.byte(at: 1 + 2 * count) == 0, segment.byte(at: 2 + 2 * count) == 63,
                segment.byte(at: 3 + 2 * count) == 0
            else { return false }
            for index in 0..<count {
                guard segment.byte(at: 1 + 2 * index) == frame.components[index].identifier,
                    let selectors = segment.byte(at: 2 + 2 * index), selectors >> 4 < 4, selectors & 15 < 4,
                    let dcCode = dcCodes[Int(selectors >> 4)], let acCode = acCodes[Int(selectors & 15)]
                else { return false }
                frame.components[index].dcCode = dcCode
                frame.components[index].acCode = acCode
            }
            return true
        }
    }

    /// Whether luma comes in full and the others in whole parts of it, at most 10 blocks a unit (T.81, B.2.3), and the
    /// components have different names, which are not red, green and blue.
    private static func areUsual(_ components: [Component]) -> Bool {
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
