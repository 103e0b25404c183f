/// Decodes the blocks of one scan of DC coefficients, one after the other (T.81, G.1.2.1, G.2.1).
@safe
struct DCScanDecoder: ~Copyable {
    private var cursor: ScanCursor
    /// For each of the scan's components; none in a scan of single bits.
    private let tables: [DCTable]
    private var predictions: [Int]
    private let isFirst: Bool
    private let lowBit: Int

    /// Nil when a code is not one of differences.
    init?(_ scan: ProgressiveFrame.Scan) {
        // Nothing of the decoder is there yet when it returns nil: where it was half there, Swift 6.3's optimiser released
        // the tables twice.
        let tables = scan.parts.compactMap { $0.code.flatMap(DCTable.init) }
        guard !scan.isFirst || tables.count == scan.parts.count else { return nil }
        self.tables = tables
        cursor = ScanCursor(scanOffset: scan.offset, restartInterval: scan.restartInterval)
        predictions = Array(repeating: 0, count: scan.parts.count)
        isFirst = scan.isFirst
        lowBit = scan.lowBit
    }

    /// To be called before each minimum coded unit; false when the stream is damaged.
    mutating func beginUnit(_ bytes: Span<UInt8>) -> Bool {
        switch cursor.nextUnit(bytes) {
        case .goesOn: return true
        case .restarts:
            for number in predictions.indices { predictions[number] = 0 }
            return true
        case .isMissing: return false
        }
    }

    /// Decodes the next block, of a component by its number in the scan; false when the stream is damaged.
    mutating func decode(_ number: Int, _ coefficient: inout Int16, _ bytes: Span<UInt8>) -> Bool {
        if unsafe cursor.reader.position > cursor.window.limit {
            guard unsafe cursor.window.prepare(&cursor.reader, from: bytes) else { return false }
        }
        unsafe cursor.reader.refill()
        guard isFirst else {
            coefficient |= Int16(truncatingIfNeeded: unsafe cursor.reader.peek(1) << lowBit)
            unsafe cursor.reader.consume(1)
            return true
        }
        guard let difference = unsafe tables[number].next(&cursor.reader) else { return false }
        predictions[number] &+= difference
        guard let value = Int16(exactly: predictions[number] << lowBit) else { return false }
        coefficient = value
        return true
    }

    /// Whether the scan ends behind the last block.
    mutating func isAtEnd(_ bytes: Span<UInt8>) -> Bool { cursor.isAtEnd(bytes) }
}
