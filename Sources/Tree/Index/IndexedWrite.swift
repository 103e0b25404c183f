/// A write and its effect on index entries, applied in one transaction.
struct IndexedWrite {
    private let write: EncodedWrite
    private let node: SegmentedKey
    private let indexes: [Index]

    /// - Parameter indexes: The tree's indexes that are ready or being built.
    init(_ write: EncodedWrite, at node: SegmentedKey, indexes: [Index]) {
        self.write = write
        self.node = node
        // No index is ordered by priority.
        self.indexes = write.isPriority ? [] : indexes.filter { $0.parents.matches(node) }
    }

    /// Applies the write.
    ///
    /// - Returns: Whether it changed anything.
    func apply(to transaction: any EngineTransaction) throws(TreeError) -> Bool {
        let concerned = try indexesOfConcernedChildren(in: transaction)
        let before = try entriesOfChildren(of: concerned, in: transaction)
        guard try transaction.apply(write) else { return false }
        let after = try entriesOfChildren(of: concerned, in: transaction)
        for (old, new) in zip(before, after) where old != new {
            if let old { try transaction.remove(.only(old)) }
            if let new { try transaction.put([], for: new) }
        }
        for index in indexes where index.parents.elements.count >= node.depth {
            try replaceEntries(of: index, in: transaction)
        }
        return true
    }

    /// Returns the indexes in which the entry of the child at or above the node may change. The entry of an existing
    /// child does not change if the write does not touch the values that order it.
    private func indexesOfConcernedChildren(in transaction: any EngineTransaction) throws(TreeError) -> [Index] {
        var concerned: [Index] = []
        var (known, isThere): ([UInt8], Bool) = ([], false)
        for index in indexes where index.parents.elements.count < node.depth {
            let child = child(of: index)
            if !write.rows.isEmpty, !index.order.isConcerned(by: node.key, below: child) {
                if known != child { (known, isThere) = (child, try !transaction.isEmpty(.subtree(child))) }
                if isThere { continue }
            }
            concerned.append(index)
        }
        return concerned
    }

    /// Returns the entries of the children at or above the node, one for each index; nil if the child does not exist.
    private func entriesOfChildren(
        of indexes: [Index], in transaction: any EngineTransaction
    ) throws(TreeError) -> [[UInt8]?] {
        var entries: [[UInt8]?] = []
        for index in indexes {
            let child = child(of: index)
            let isThere = try !transaction.isEmpty(.subtree(child))
            let start = node.ends[index.parents.elements.count]
            entries.append(isThere ? try index.entry(of: child, segmentStart: start, in: transaction) : nil)
        }
        return entries
    }

    /// Returns the key of the indexed child at or above the node.
    private func child(of index: Index) -> [UInt8] { node.ancestor(atDepth: index.parents.elements.count + 1) }

    /// Removes the entries of all parents at the node and below it, and adds entries for the new data.
    private func replaceEntries(of index: Index, in transaction: any EngineTransaction) throws(TreeError) {
        try transaction.remove(.subtree(index.prefix(below: node)))
        guard !write.rows.isEmpty else { return }
        try index.children.forEachNode(
            in: .subtree(node.key), below: node.ends[0], of: transaction
        ) { child, segmentStart throws(TreeError) in
            try transaction.put([], for: try index.entry(of: child, segmentStart: segmentStart, in: transaction))
        }
    }
}
