/// What of a progressive JPEG is needed to decode it to an eighth: its frame, and the scans of DC coefficients.
///
/// The other scans are passed over and never decoded (T.81, annex G).
struct ProgressiveFrame: Sendable {
    /// A scan of the components' DC coefficients (T.81, G.1.1.1).
    struct Scan: Sendable {
        /// A component of the scan: its place in the frame and, in a first scan, how differences are coded.
        struct Part: Sendable {
            let component: Int
            let code: HuffmanCode?
        }

        let parts: [Part]
        /// Ah = 0: the upper bits. Otherwise one further bit each.
        let isFirst: Bool
        /// Al: what the lowest bit that it gives counts.
        let lowBit: Int
        let restartInterval: Int
        /// Where the entropy-coded data begins.
        let offset: Int
    }

    /// Its codes are none; each scan has its own.
    let frame: SequentialFrame
    let scans: [Scan]
}

extension ProgressiveFrame {
    /// Reads all marker segments, up to the end of the picture.
    ///
    /// Nil for whatever is unusual, cut off, or not quite right: then libjpeg is to say what it thinks of it.
    static func read(_ bytes: Span<UInt8>, maxScans: Int) -> ProgressiveFrame? {
        var tables = JPEGTables()
        var frame: SequentialFrame?
        var scans = ScanList()
        var offset = 2  // after the start-of-image marker
        while let marker = JPEGScans.nextMarker(bytes, &offset) {
            if marker == 0xD9 {
                guard let frame, scans.isComplete else { return nil }
                return ProgressiveFrame(frame: frame, scans: scans.scans)
            }
            guard let length = bytes.uint16(at: offset), length >= 2, offset + length <= bytes.count else { return nil }
            let segment = bytes.extracting(offset + 2..<offset + length)
            offset += length
            switch marker {
            case 0xC2:
                guard frame == nil, let first = tables.frame(segment) else { return nil }
                frame = first
                scans = ScanList(componentCount: first.components.count)
            case 0xDB where frame != nil:
                return nil
            case 0xDA:
                guard let frame, scans.add(segment, of: frame, tables, offset: offset), scans.count <= maxScans else {
                    return nil
                }
            default:
                guard tables.read(marker, segment) else { return nil }
            }
        }
        return nil
    }

    /// The scans so far, and how exactly each component is known.
    private struct ScanList {
        private(set) var scans: [Scan] = []
        private(set) var count = 0
        /// For each component, and each of its 64 coefficients, the lowest bit that is known; nil before its first scan.
        private var lowBits: [[Int?]] = []

        init(componentCount: Int = 0) {
            lowBits = Array(repeating: Array(repeating: nil, count: 64), count: componentCount)
        }

        /// Where AC coefficients are missing, decoders guess, and smooth what they have: that is left to libjpeg.
        var isComplete: Bool { !lowBits.isEmpty && lowBits.allSatisfy { $0.allSatisfy { $0 == 0 } } }

        /// SOS (T.81, B.2.3); false for what no encoder writes.
        mutating func add(
            _ segment: Span<UInt8>, of frame: SequentialFrame, _ tables: JPEGTables, offset: Int
        ) -> Bool {
            count += 1
            guard let partCount = segment.byte(at: 0).map(Int.init), segment.count == 4 + 2 * partCount,
                let first = segment.byte(at: 1 + 2 * partCount), let last = segment.byte(at: 2 + 2 * partCount),
                let bits = segment.byte(at: 3 + 2 * partCount)
            else { return false }
            let (highBit, lowBit) = (Int(bits >> 4), Int(bits & 15))
            guard lowBit <= 13 else { return false }
            guard first == 0 else {
                guard partCount == 1, first <= last, last <= 63,
                    let component = frame.components.firstIndex(where: { $0.identifier == segment.byte(at: 1) })
                else { return false }
                return (Int(first)...Int(last)).allSatisfy { learn($0, of: component, highBit, lowBit) }
            }
            guard last == 0 else { return false }
            var parts: [Scan.Part] = []
            for number in 0..<partCount {
                let identifier = segment.byte(at: 1 + 2 * number)
                guard let component = frame.components.firstIndex(where: { $0.identifier == identifier }),
                    parts.allSatisfy({ $0.component < component }),
                    let selectors = segment.byte(at: 2 + 2 * number), selectors >> 4 < 4
                else { return false }
                let code = tables.dcCodes[Int(selectors >> 4)]
                guard code != nil || highBit > 0, learn(0, of: component, highBit, lowBit) else { return false }
                parts.append(Scan.Part(component: component, code: highBit == 0 ? code : nil))
            }
            guard !parts.isEmpty else { return false }
            scans.append(
                Scan(
                    parts: parts, isFirst: highBit == 0, lowBit: lowBit, restartInterval: tables.restartInterval,
                    offset: offset))
            return true
        }

        /// Notes a coefficient's bits; false when they are not those that are due.
        private mutating func learn(_ number: Int, of component: Int, _ highBit: Int, _ lowBit: Int) -> Bool {
            if let known = lowBits[component][number] {
                guard highBit == known, lowBit == known - 1 else { return false }
            } else {
                guard highBit == 0 else { return false }
            }
            lowBits[component][number] = lowBit
            return true
        }
    }
}
