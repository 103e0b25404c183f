/// An ordered map from bytes to bytes whose copies share storage.
///
/// The sorted entries are stored in chunks of bounded length. A copy is free; a change after it copies one chunk and
/// the list of chunks. Lookups use binary search, first among the chunks, then within one.
struct ChunkedMap: Sendable {
    typealias Entry = (key: [UInt8], value: [UInt8])
    static let maxChunkLength = 256

    /// The chunks in key order; none is empty.
    private var chunks: [[Entry]] = []

    func value(for key: [UInt8]) -> [UInt8]? {
        let position = firstPosition(notBefore: key)
        guard position.chunk < chunks.count else { return nil }
        let entry = chunks[position.chunk][position.index]
        return entry.key == key ? entry.value : nil
    }

    mutating func set(_ value: [UInt8], for key: [UInt8]) {
        var position = firstPosition(notBefore: key)
        if position.chunk == chunks.count {
            guard !chunks.isEmpty else { return chunks = [[(key, value)]] }
            position = Position(chunk: chunks.count - 1, index: chunks[chunks.count - 1].count)
        }
        let chunk = position.chunk
        if position.index < chunks[chunk].count, chunks[chunk][position.index].key == key {
            chunks[chunk][position.index].value = value
        } else {
            chunks[chunk].insert((key, value), at: position.index)
            splitIfLong(chunk)
        }
    }

    mutating func remove(_ range: ByteRange) {
        let first = firstPosition(notBefore: range.lower)
        let end = firstPosition(notBefore: range.upper)
        guard first < end else { return }
        guard first.chunk < end.chunk else {
            return removeEntries(first.index..<end.index, ofChunk: first.chunk)
        }
        if end.chunk < chunks.count { removeEntries(0..<end.index, ofChunk: end.chunk) }
        chunks.removeSubrange(first.chunk + 1..<end.chunk)
        removeEntries(first.index..<chunks[first.chunk].count, ofChunk: first.chunk)
    }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Entry) throws(TreeError) -> Bool
    ) throws(TreeError) {
        var position = firstPosition(notBefore: range.lower)
        var end = firstPosition(notBefore: range.upper)
        while position < end {
            if reverse { end = self.position(before: end) }
            let entry = reverse ? end : position
            guard try visit(chunks[entry.chunk][entry.index]) else { return }
            if !reverse { position = self.position(after: position) }
        }
    }

    // MARK: Positions

    private struct Position: Comparable {
        var chunk: Int
        var index: Int

        static func < (left: Position, right: Position) -> Bool {
            (left.chunk, left.index) < (right.chunk, right.index)
        }
    }

    /// Returns the position of the first entry whose key is not less than this one; if there is none, index 0 of the
    /// chunk after the last.
    private func firstPosition(notBefore key: [UInt8]) -> Position {
        let chunk = chunks.partitioningIndex { !($0.last?.key ?? []).lexicographicallyPrecedes(key) }
        guard chunk < chunks.count else { return Position(chunk: chunk, index: 0) }
        return Position(
            chunk: chunk, index: chunks[chunk].partitioningIndex { !$0.key.lexicographicallyPrecedes(key) })
    }

    private func position(after position: Position) -> Position {
        position.index + 1 < chunks[position.chunk].count
            ? Position(chunk: position.chunk, index: position.index + 1)
            : Position(chunk: position.chunk + 1, index: 0)
    }

    private func position(before position: Position) -> Position {
        position.index > 0
            ? Position(chunk: position.chunk, index: position.index - 1)
            : Position(chunk: position.chunk - 1, index: chunks[position.chunk - 1].count - 1)
    }

    private mutating func removeEntries(_ indices: Range<Int>, ofChunk chunk: Int) {
        chunks[chunk].removeSubrange(indices)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    private mutating func splitIfLong(_ chunk: Int) {
        guard chunks[chunk].count > Self.maxChunkLength else { return }
        let half = chunks[chunk].count / 2
        let upper = Array(chunks[chunk][half...])
        chunks[chunk].removeSubrange(half...)
        chunks.insert(upper, at: chunk + 1)
    }
}
