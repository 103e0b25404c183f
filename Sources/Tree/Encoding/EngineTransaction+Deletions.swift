extension EngineTransaction {
    /// The largest number of rows that are read per deletion in a group.
    private static var maxRowsEach: Int { 8 }

    /// Deletes neighbouring nodes with one search, if no other rows are between them.
    ///
    /// - Parameter writes: Deletions of nodes, in key order, none below another.
    /// - Returns: The writes that deleted something; nil if other rows are between the nodes or there are too many
    ///   rows. Nothing is deleted in that case.
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
        // Only the ancestors of the first node can be affected: the priority of any other ancestor would be a row in
        // between.
        if let first = deleted.first { try removeOrphanedPriorities(above: writes[first].key) }
        return deleted.map { writes[$0] }
    }
}
