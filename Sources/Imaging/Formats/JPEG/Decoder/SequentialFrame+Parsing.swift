extension SequentialFrame {
    /// Reads the marker segments up to the first scan (T.81, annex B).
    ///
    /// Returns nil for anything unusual or invalid, which libjpeg then decodes or refuses.
    static func read(_ bytes: Span<UInt8>) -> SequentialFrame? {
        var tables = JPEGTables()
        var frame: SequentialFrame?
        var offset = 2  // after the start-of-image marker
        while let (marker, payload) = try? JPEGHeader.nextSegment(bytes, &offset) {
            let segment = bytes.extracting(payload)
            switch marker {
            case 0xC0, 0xC1:
                guard frame == nil, let first = tables.frame(segment) else { return nil }
                frame = first
            case 0xDB where frame != nil:
                // Quantisation tables after the frame header also apply to it; such rare files are left to libjpeg.
                return nil
            case 0xDA:
                guard var frame, frame.select(segment, from: tables) else { return nil }
                frame.restartInterval = tables.restartInterval
                frame.scanOffset = payload.upperBound
                return frame
            default:
                guard tables.read(marker, segment) else { return nil }
            }
        }
        return nil
    }

    /// Reads a scan header (SOS; T.81, B.2.3), which must select all components, all coefficients and all bits.
    private mutating func select(_ segment: Span<UInt8>, from tables: JPEGTables) -> Bool {
        let count = components.count
        guard segment.count == 4 + 2 * count, segment.byte(at: 0) == UInt8(count),
            segment.byte(at: 1 + 2 * count) == 0, segment.byte(at: 2 + 2 * count) == 63,
            segment.byte(at: 3 + 2 * count) == 0
        else { return false }
        for index in 0..<count {
            guard segment.byte(at: 1 + 2 * index) == components[index].identifier,
                let selectors = segment.byte(at: 2 + 2 * index), selectors >> 4 < 4, selectors & 15 < 4,
                let dcCode = tables.dcCodes[Int(selectors >> 4)], let acCode = tables.acCodes[Int(selectors & 15)]
            else { return false }
            components[index].dcCode = dcCode
            components[index].acCode = acCode
        }
        return true
    }
}
