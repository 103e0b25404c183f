/// Decodes a scan of a band of one component's AC coefficients (T.81, G.1.2, G.2).
@safe
struct ACScanDecoder: ~Copyable {
    private var cursor: ScanCursor
    private let band: ACBand
    private let isFirst: Bool

    /// Prepares to decode a scan; nil if the scan has no code.
    init?(_ scan: ProgressiveFrame.Scan) {
        guard let band = ACBand(scan) else { return nil }
        self.band = band
        cursor = ScanCursor(scanOffset: scan.offset, restartInterval: scan.restartInterval)
        isFirst = scan.isFirst
    }

    /// Decodes the whole scan; returns false if it is damaged or unlike that of any encoder.
    mutating func decode(into component: ProgressiveCoefficients, from bytes: Span<UInt8>) -> Bool {
        let band = band
        return isFirst
            ? unsafe decode(component, from: bytes) { unsafe band.decodeFirst($0, of: component, &$1, &$2) }
            : unsafe decode(component, from: bytes) { unsafe band.decodeFurther($0, of: component, &$1, &$2) }
    }

    @unsafe @inline(__always)
    private mutating func decode(
        _ component: ProgressiveCoefficients, from bytes: Span<UInt8>,
        _ decodeBlock: (ProgressiveCoefficients.Block, inout BitReader, inout Int) -> Bool
    ) -> Bool {
        var runLength = 0
        for row in 0..<component.ownRowCount {
            for column in 0..<component.ownWidth {
                switch cursor.nextUnit(bytes) {
                case .goesOn: break
                case .restarts: runLength = 0
                case .isMissing: return false
                }
                var reader = unsafe cursor.reader  // a copy, which stays in registers
                if unsafe reader.position > cursor.window.limit {
                    guard unsafe cursor.window.prepare(&reader, from: bytes) else { return false }
                }
                guard unsafe decodeBlock(component.block(row, column), &reader, &runLength) else { return false }
                unsafe cursor.reader = unsafe reader
            }
        }
        return cursor.isAtEnd(bytes)
    }
}
