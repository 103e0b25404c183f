/// A JPEG whose bytes end before its end marker, and the parts of it that are present (ITU-T T.81, annexes B and G).
///
/// With an end marker after its last complete segment, decoders treat it as damaged and report how much of a scan is
/// missing; this type determines which scans are present.
struct CutJPEG {
    /// The number of bytes up to the end, or up to a segment that extends beyond it.
    private var byteCount = 0
    /// The lowest bit that the scans contain, for each component's 64 coefficients; nil if no scan contains the
    /// coefficient.
    private var lowBits: [UInt8: [Int?]] = [:]
    /// The same without the last scan if that contains a further bit, since it may be the incomplete scan.
    private var surelyLowBits: [UInt8: [Int?]] = [:]
    private var isProgressive = false

    /// Examines whether the bytes are incomplete; nil if they are complete. Nil also for an image in arithmetic code,
    /// in which trailing zeros may have been omitted.
    ///
    /// - Parameter trustsEnd: Whether an end marker in the last two bytes proves that the bytes are complete. It does not
    ///   if damage has created a segment before it that extends beyond the file; to find out, all bytes are read.
    init?(_ bytes: Span<UInt8>, trustsEnd: Bool = true) {
        let count = bytes.count
        if trustsEnd, bytes.starts(with: [0xFF, 0xD9], at: count - 2) { return nil }
        var offset = 2  // after the start-of-image marker
        byteCount = count
        while let marker = JPEGScans.nextMarker(bytes, &offset) {
            guard marker != 0xD8, marker != 0xD9, marker != 0xC9, marker != 0xCA else { return nil }
            guard let length = bytes.uint16(at: offset), offset + length <= count else {
                byteCount = offset - 2
                return
            }
            guard length >= 2 else { return nil }
            let segment = bytes.extracting(offset + 2..<offset + length)
            offset += length
            switch marker {
            case 0xC0...0xC2: takeFrame(segment, isProgressive: marker == 0xC2)
            case 0xDA: takeScan(segment)
            default: break
            }
        }
    }

    /// Whether there is a scan for each coefficient, and at most the last bit of any is missing; the decoder reports
    /// how much the scans themselves lack.
    var hasEveryBand: Bool {
        !lowBits.isEmpty && surelyLowBits.values.allSatisfy { $0.allSatisfy { $0 == 0 || $0 == 1 } }
    }

    /// Whether there is a scan for each bit of each coefficient.
    var hasEveryBit: Bool { lowBits.values.allSatisfy { $0.allSatisfy { $0 == 0 } } }

    /// Returns the image with an end marker.
    func closed(_ bytes: Span<UInt8>) -> [UInt8] {
        var closed: [UInt8] = []
        closed.reserveCapacity(byteCount + 2)
        unsafe bytes.extracting(..<byteCount).withUnsafeBufferPointer { unsafe closed.append(contentsOf: $0) }
        closed += [0xFF, 0xD9]
        return closed
    }

    /// Reads a frame header: three bytes per component, the first of which is its identifier, after six other bytes
    /// (B.2.2).
    private mutating func takeFrame(_ segment: Span<UInt8>, isProgressive: Bool) {
        self.isProgressive = isProgressive
        for number in 0..<Int(segment.byte(at: 5) ?? 0) {
            guard let identifier = segment.byte(at: 6 + 3 * number) else { return }
            lowBits[identifier] = Array(repeating: nil, count: 64)
        }
        surelyLowBits = lowBits
    }

    /// Reads a scan header: the components, two bytes each, the band of coefficients, and their bits (B.2.3).
    private mutating func takeScan(_ segment: Span<UInt8>) {
        guard let count = segment.byte(at: 0).map(Int.init), let first = segment.byte(at: 1 + 2 * count),
            let last = segment.byte(at: 2 + 2 * count), let bits = segment.byte(at: 3 + 2 * count),
            first <= last, last < 64
        else { return }
        let before = lowBits
        let band = isProgressive ? Int(first)...Int(last) : 0...63
        for number in 0..<count {
            guard let identifier = segment.byte(at: 1 + 2 * number) else { return }
            for place in band { lowBits[identifier]?[place] = isProgressive ? Int(bits & 15) : 0 }
        }
        surelyLowBits = isProgressive && bits >> 4 > 0 ? before : lowBits
    }
}
