/// Decodes a scan of the components' DC coefficients (T.81, G.1.2.1, G.2.1).
@safe
struct DCScanDecoder: ~Copyable {
    private var cursor: ScanCursor
    private let parts: [ProgressiveFrame.Scan.Part]
    /// The tables of the scan's components; empty for a scan of single bits.
    private let tables: [DCTable]
    private var predictions: [Int]
    private let isFirst: Bool
    private let lowBit: Int

    /// Prepares to decode a scan; nil if a code is not one of differences.
    init?(_ scan: ProgressiveFrame.Scan) {
        // No property is initialised before the initialiser returns nil: otherwise Swift 6.3's optimiser released the
        // tables twice.
        let tables = scan.isFirst ? scan.parts.compactMap { $0.code.flatMap(DCTable.init) } : []
        guard !scan.isFirst || tables.count == scan.parts.count else { return nil }
        self.tables = tables
        parts = scan.parts
        cursor = ScanCursor(scanOffset: scan.offset, restartInterval: scan.restartInterval)
        predictions = Array(repeating: 0, count: scan.parts.count)
        isFirst = scan.isFirst
        lowBit = scan.lowBit
    }

    /// Decodes the whole scan; returns false if it is damaged.
    mutating func decode(
        into components: [ProgressiveCoefficients], of frame: SequentialFrame, from bytes: Span<UInt8>
    ) -> Bool {
        let components = parts.map { components[$0.component] }
        if let alone = components.first, components.count == 1 {
            for row in 0..<alone.ownRowCount {
                for column in 0..<alone.ownWidth {
                    guard beginUnit(bytes), unsafe decode(0, alone.block(row, column), bytes) else { return false }
                }
            }
            return cursor.isAtEnd(bytes)
        }
        for row in 0..<frame.unitRows {
            for column in 0..<frame.unitsPerRow {
                guard beginUnit(bytes) else { return false }
                for number in components.indices {
                    let factors = components[number].factors
                    for y in row * factors.vertical..<(row + 1) * factors.vertical {
                        for x in column * factors.horizontal..<(column + 1) * factors.horizontal {
                            guard unsafe decode(number, components[number].block(y, x), bytes) else { return false }
                        }
                    }
                }
            }
        }
        return cursor.isAtEnd(bytes)
    }

    /// Moves to the next unit; returns false if the stream is damaged.
    private mutating func beginUnit(_ bytes: Span<UInt8>) -> Bool {
        switch cursor.nextUnit(bytes) {
        case .goesOn: return true
        case .restarts:
            for number in predictions.indices { predictions[number] = 0 }
            return true
        case .isMissing: return false
        }
    }

    /// Decodes the next block of a component, given by its number in the scan; returns false if the stream is damaged.
    @inline(__always)
    private mutating func decode(
        _ number: Int, _ block: ProgressiveCoefficients.Block, _ bytes: Span<UInt8>
    ) -> Bool {
        if unsafe cursor.reader.position > cursor.window.limit {
            guard unsafe cursor.window.prepare(&cursor.reader, from: bytes) else { return false }
        }
        unsafe cursor.reader.refill()
        guard isFirst else {
            let bit = unsafe cursor.reader.peek(1)
            unsafe block.values[0] |= Int16(truncatingIfNeeded: bit << lowBit)
            unsafe cursor.reader.consume(1)
            return true
        }
        guard let difference = unsafe tables[number].next(&cursor.reader) else { return false }
        predictions[number] &+= difference
        guard let value = Int16(exactly: predictions[number] << lowBit) else { return false }
        unsafe block.values[0] = value
        return true
    }
}
