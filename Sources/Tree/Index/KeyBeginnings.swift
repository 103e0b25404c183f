/// The beginnings that the keys of rows at the nodes of some patterns have in common.
///
/// All lie in one array, so that a look at each of them counts no references: an update may have 300,000 writes.
struct KeyBeginnings: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each in `bytes`.
    private var ends: [Int] = []

    /// Takes the beginnings down, each once.
    init(_ beginnings: Set<[UInt8]>) {
        for beginning in beginnings {
            bytes += beginning
            ends.append(bytes.count)
        }
    }

    /// Whether a key may be that of a row at, above or below a node of one of the patterns. That of a priority stands for its node.
    func mayConcern(_ key: Span<UInt8>) -> Bool {
        let bytes = bytes.span
        // The last byte of a number may be the same: then it only says less.
        let isPriority = key.count > 0 && key[key.count - 1] == PathEncoding.priorityTag
        let keyCount = isPriority ? key.count - 1 : key.count
        var start = 0
        for end in ends {
            let length = min(end - start, keyCount)
            if bytes.extracting(start..<start + length).hasSameBytes(as: key.extracting(first: length)) { return true }
            start = end
        }
        return false
    }
}
