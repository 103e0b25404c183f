extension EngineTransaction {
    /// The most rows that are looked at for each of a group of deletions.
    private static var maxRowsEach: Int { 8 }

    /// Deletes what is at neighbouring nodes with one search, if nothing else lies between them.
    ///
    /// - Parameter writes: Deletions of nodes, in key order, none below another.
    /// - Returns: Those that deleted anything; nil if something else lies there, or very much does: then nothing is
    ///   deleted.
    func delete(_ writes: ArraySlice<EncodedWrite>) throws(TreeError) -> [EncodedWrite]? {
        guard let first = writes.first, let last = writes.last else { return [] }
        let range = ByteRange(from: first.key, upTo: ByteRange.subtree(last.key).upper)
        var (next, rowCount, isAlone) = (writes.startIndex, 0, true)
        var deleted: [Int] = []
        try scan(range, reverse: false) { row, _ throws(TreeError) in
            while next < writes.endIndex - 1, case let key = writes[next + 1].key, !row.precedes(key.span) { next += 1 }
            rowCount += 1
            let target = writes[next].key
            isAlone = row.starts(with: target.span) && rowCount <= Self.maxRowsEach * writes.count
            if deleted.last != next { deleted.append(next) }
            return isAlone
        }
        guard isAlone else { return nil }
        guard !deleted.isEmpty else { return [] }
        try remove(range)
        // Those above the first are all: the priority of a node that is above a later one alone lies between them.
        if let first = deleted.first { try removeOrphanedPriorities(above: writes[first].key) }
        return deleted.map { writes[$0] }
    }
}
