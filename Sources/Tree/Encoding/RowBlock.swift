/// The rows of a subtree in one buffer, in key order. Each row is its path below the top and its value, each preceded
/// by its length.
///
/// Values are passed in this form: from the JSON of a request to the engine and the change log, and back to JSON for
/// listeners.
struct RowBlock: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    init() {}

    /// Creates a block from the bytes of another block.
    init(bytes: [UInt8], count: Int) {
        self.bytes = bytes
        self.count = count
    }

    mutating func append(path: Span<UInt8>, value: Span<UInt8>) {
        bytes.appendCounted(path)
        bytes.appendCounted(value)
        count += 1
    }

    /// Returns the size of a row in a block, in bytes.
    static func byteCount(path: Span<UInt8>, value: Span<UInt8>) -> Int {
        2 * MemoryLayout<UInt32>.size + path.count + value.count
    }

    /// Calls the visitor for each row until it returns false. Both spans are valid only during the call.
    ///
    /// - Parameter start: The offset of the first row, in bytes.
    func forEach(
        from start: Int = 0, _ visit: (_ path: Span<UInt8>, _ value: Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        let bytes = bytes.span
        var cursor = ByteCursor(offset: start)
        while cursor.offset < bytes.count {
            let path = try cursor.nextRun(in: bytes)
            let value = try cursor.nextRun(in: bytes)
            guard try visit(bytes.extracting(path), bytes.extracting(value)) else { return }
        }
    }

    /// Removes the rows after an earlier end of the block.
    mutating func truncate(toBytes byteCount: Int, count: Int) {
        bytes.removeSubrange(byteCount...)
        self.count = count
    }

    /// Returns the ranges of each row's path and value, in the order of appending.
    private func rowRanges() throws(TreeError) -> [(path: Range<Int>, value: Range<Int>)] {
        var ranges: [(Range<Int>, Range<Int>)] = []
        ranges.reserveCapacity(count)
        let bytes = bytes.span
        var cursor = ByteCursor()
        while cursor.offset < bytes.count {
            ranges.append((try cursor.nextRun(in: bytes), try cursor.nextRun(in: bytes)))
        }
        return ranges
    }

    /// Returns the same rows in key order.
    func sorted() throws(TreeError) -> RowBlock {
        let bytes = bytes.span
        let ranges = try rowRanges().sorted { bytes.extracting($0.path).precedes(bytes.extracting($1.path)) }
        var block = RowBlock()
        block.bytes.reserveCapacity(bytes.count)
        for (path, value) in ranges { block.append(path: bytes.extracting(path), value: bytes.extracting(value)) }
        return block
    }

    /// Returns the rows with the transform's values, which may have a different length; rows for which it returns nil
    /// are kept.
    func mapValues(
        _ transform: (_ path: Span<UInt8>, _ value: Span<UInt8>) throws(TreeError) -> [UInt8]?
    ) throws(TreeError) -> RowBlock {
        var block = RowBlock()
        block.bytes.reserveCapacity(bytes.count)
        try forEach { path, value throws(TreeError) in
            if let new = try transform(path, value) {
                block.append(path: path, value: new.span)
            } else {
                block.append(path: path, value: value)
            }
            return true
        }
        return block
    }

    /// Returns the rows below a path, relative to it.
    func block(below prefix: [UInt8]) throws(TreeError) -> RowBlock {
        guard !prefix.isEmpty else { return self }
        var block = RowBlock()
        try forEach { path, value throws(TreeError) in
            if path.starts(with: prefix.span) {
                block.append(path: path.extracting(droppingFirst: prefix.count), value: value)
            }
            return true
        }
        return block
    }
}
