/// The common beginnings of the row keys of nodes that match certain patterns.
///
/// They are stored in one array, so that comparing them needs no reference counting: an update may have 300,000 writes.
struct KeyBeginnings: Sendable {
    private var bytes: [UInt8] = []
    /// The end offset of each beginning in `bytes`.
    private var ends: [Int] = []

    /// Creates the list of beginnings.
    init(_ beginnings: Set<[UInt8]>) {
        for beginning in beginnings {
            bytes += beginning
            ends.append(bytes.count)
        }
    }

    /// Whether a row key may belong to a node of one of the patterns, or to a node above or below one. The key
    /// of a priority counts as that of its node.
    func mayConcern(_ key: Span<UInt8>) -> Bool {
        let bytes = bytes.span
        // The last byte of a number may have the same value; the check is then only less strict.
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
