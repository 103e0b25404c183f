/// The frame of a progressive JPEG, and the contents of its scans (T.81, annex G).
struct ProgressiveFrame: Sendable {
    /// A scan of the components' DC coefficients, or of a band of one component's AC coefficients (T.81, G.1.1.1).
    struct Scan: Sendable {
        /// A component of the scan: its index in the frame, and its code, except in a DC scan of further bits.
        struct Part: Sendable {
            let component: Int
            let code: HuffmanCode?
        }

        let parts: [Part]
        /// The first and the last position in the zigzag sequence (Ss and Se).
        let band: ClosedRange<Int>
        /// Whether the scan contains the upper bits (Ah = 0) rather than one further bit of each coefficient.
        let isFirst: Bool
        /// The position of the lowest bit in the scan (Al).
        let lowBit: Int
        let restartInterval: Int
        /// The offset in the file at which the entropy-coded data begins.
        let offset: Int
    }

    /// The frame, without codes, since each scan has its own.
    let frame: SequentialFrame
    let scans: [Scan]

    /// Returns the scans that are needed for some coefficients of each component, given as masks of positions.
    ///
    /// Further bits are coded depending on which coefficients of the band are zero so far (G.1.2.3), so they need all
    /// earlier scans of the band.
    func scans(for places: [UInt64]) -> [Scan] {
        var places = places
        var needed: [Scan] = []
        for scan in scans.reversed() where scan.parts.contains(where: { places[$0.component] & scan.places != 0 }) {
            needed.append(scan)
            if !scan.isFirst { for part in scan.parts { places[part.component] |= scan.places } }
        }
        return needed.reversed()
    }
}

extension ProgressiveFrame.Scan {
    /// A mask of the positions in the band.
    var places: UInt64 { UInt64.max >> UInt64(63 - band.upperBound) & UInt64.max << UInt64(band.lowerBound) }
}

extension ProgressiveFrame {
    /// Reads all marker segments up to the end of the image.
    ///
    /// Returns nil for anything unusual, incomplete or invalid, which libjpeg then decodes or refuses.
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
                guard let frame, scans.add(segment, of: frame, tables, offset: offset), scans.scans.count <= maxScans
                else { return nil }
            default:
                guard tables.read(marker, segment) else { return nil }
            }
        }
        return nil
    }

    /// The scans so far, and the known bits of each component.
    private struct ScanList {
        private(set) var scans: [Scan] = []
        /// The lowest known bit of each component's 64 coefficients; nil before the first scan of a coefficient.
        private var lowBits: [[Int?]] = []

        init(componentCount: Int = 0) {
            lowBits = Array(repeating: Array(repeating: nil, count: 64), count: componentCount)
        }

        /// Whether all bits are present. Otherwise decoders estimate missing AC coefficients by smoothing, which is
        /// left to libjpeg.
        var isComplete: Bool { !lowBits.isEmpty && lowBits.allSatisfy { $0.allSatisfy { $0 == 0 } } }

        /// Adds a scan from its header (SOS; T.81, B.2.3); returns false for one that no encoder writes.
        mutating func add(
            _ segment: Span<UInt8>, of frame: SequentialFrame, _ tables: JPEGTables, offset: Int
        ) -> Bool {
            guard let partCount = segment.byte(at: 0).map(Int.init), segment.count == 4 + 2 * partCount,
                let first = segment.byte(at: 1 + 2 * partCount), let last = segment.byte(at: 2 + 2 * partCount),
                let bits = segment.byte(at: 3 + 2 * partCount)
            else { return false }
            let (highBit, lowBit) = (Int(bits >> 4), Int(bits & 15))
            guard lowBit <= 13, first <= last, last <= 63, first == 0 ? last == 0 : partCount == 1 else { return false }
            let band = Int(first)...Int(last)
            var parts: [Scan.Part] = []
            for number in 0..<partCount {
                let identifier = segment.byte(at: 1 + 2 * number)
                guard let component = frame.components.firstIndex(where: { $0.identifier == identifier }),
                    parts.allSatisfy({ $0.component < component }),
                    let selectors = segment.byte(at: 2 + 2 * number),
                    case let selector = Int(first == 0 ? selectors >> 4 : selectors & 15), selector < 4,
                    band.allSatisfy({ learn($0, of: component, highBit, lowBit) })
                else { return false }
                let code = (first == 0 ? tables.dcCodes : tables.acCodes)[selector]
                guard code != nil || first == 0 && highBit > 0 else { return false }
                parts.append(Scan.Part(component: component, code: code))
            }
            guard !parts.isEmpty else { return false }
            scans.append(
                Scan(
                    parts: parts, band: band, isFirst: highBit == 0, lowBit: lowBit,
                    restartInterval: tables.restartInterval, offset: offset))
            return true
        }

        /// Records a coefficient's bits; returns false if they are not the next ones.
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
