import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AccountRecords {
    /// Returns the writes of the tree at, above or below a path, in the order in which they were made.
    func writes(overlapping keys: [String]) throws -> [QueuedWrite] {
        var writes: [QueuedWrite] = []
        for depth in 0..<keys.count { writes += try self.writes(on: .node(keys.prefix(depth))) }
        for record in try records(Table.concern, prefix: Subject.node(keys).key + "/") {
            if let number = Self.number(record.key.suffix(16)), let queued = try write(number) { writes.append(queued) }
        }
        return writes.sorted { $0.number < $1.number }
    }

    /// Returns the parts of the tree that the device keeps with exactly this path.
    func trees(at keys: some Collection<String>) throws -> [(key: String, tree: StoredEntity<StoredTree>)] {
        try trees(prefix: Subject.tree(keys, query: "").key)
    }

    /// Returns the parts of the tree that the device keeps at, above or below a path.
    func trees(overlapping keys: [String]) throws -> [(key: String, tree: StoredEntity<StoredTree>)] {
        try (0..<keys.count).flatMap { try trees(at: keys.prefix($0)) }
            + trees(prefix: String(Subject.tree(keys, query: "").key.dropLast()))
    }

    private func trees(prefix: String) throws -> [(key: String, tree: StoredEntity<StoredTree>)] {
        try records(Table.entity, prefix: prefix).compactMap { record in
            (try? StoredEntity(bytes: record.value)).map { (record.key, $0) }
        }
    }
}

extension AccountChanges {
    /// The number of parts of the tree that the device keeps: those that were shown last.
    private static let treeCount = 200

    /// Notes that a part of the tree is shown.
    ///
    /// - Returns: The number of a change that whatever is read of it from now on includes.
    func show(_ window: TreeWindow, at date: Date) throws -> Int64 {
        let time = UInt64(max(0, date.timeIntervalSince1970) * 1000)
        let place = Place(key: Place.padded(time) + "/" + window.subject.key)
        try insert(window.subject.key, at: place, in: .trees)
        for entry in try records.entries(of: .trees).dropFirst(Self.treeCount) {
            try remove(entry.id, from: .trees)
            try set(nil as String?, AccountRecords.Table.entity, entry.id)
        }
        var number = try records.number(of: window.subject) ?? 0
        for queued in try records.writes(overlapping: window.keys) {
            if case .sent(let change?, _) = queued.state { number = max(number, change) }
        }
        return number
    }

    /// Stores a part of the tree, unless the device has a later state of it, or one that must not be laid over it.
    ///
    /// - Parameter number: The number of a change that it includes.
    /// - Returns: False if it was not stored, and must be read again.
    func store(_ node: JSONValue, _ window: TreeWindow, at number: Int64) throws -> Bool {
        let known: StoredEntity<StoredTree>? = try records.entity(window.subject)
        if let known, known.number > number { return false }
        if try records.isBlocked(window, after: number) { return false }
        let tree = StoredTree(keys: window.keys, node: node)
        if let known, known.number == number, known.value == tree { return true }
        try setEntity(StoredEntity(tree, number: number), window.subject)
        if known == nil { try endReadWrites() }
        return true
    }

    /// Forgets that a part of the tree is shown, unless it was read: no write is laid over it any longer.
    func forgetUnread(_ window: TreeWindow) throws {
        guard try records.value(AccountRecords.Table.entity, window.subject.key) == nil else { return }
        try remove(window.subject.key, from: .trees)
        try endReadWrites()
    }

    /// Forgets all parts of the tree that were shown and never read.
    func forgetUnreadTrees() throws {
        for entry in try records.entries(of: .trees)
        where try records.value(AccountRecords.Table.entity, entry.id) == nil {
            try remove(entry.id, from: .trees)
        }
        try endReadWrites()
    }

    /// Applies a write that the service has carried out to the parts of the tree that do not include it.
    func keep(_ write: TreeWrite, _ queued: QueuedWrite, at number: Int64) throws {
        for (key, known) in try records.trees(overlapping: write.keys)
        where known.number < number {
            var stored = known
            for change in write.changes { stored.value.apply(change.value, at: change.path, queued) }
            stored.number = number
            try set(stored.bytes(), AccountRecords.Table.entity, key)
            touch(.record(key))
        }
    }
}

extension AccountRecords {
    /// Whether a part of the tree at, above or below a path is shown, or was.
    func hasTree(overlapping keys: [String]) throws -> Bool { try !shownTrees(overlapping: keys).isEmpty }

    /// Whether such a part is still to be read: a write must stay laid over it, whatever else includes the write.
    func hasUnreadTree(overlapping keys: [String]) throws -> Bool {
        try shownTrees(overlapping: keys).contains { try value(Table.entity, $0) == nil }
    }

    /// Returns the keys of the shown parts of the tree at, above or below a path.
    private func shownTrees(overlapping keys: [String]) throws -> [String] {
        let node = Subject.node(keys)
        return try entries(of: .trees).map(\.id).filter { Subject.record($0).overlaps(node) }
    }

    /// Whether a sum of the person may be in what is read, but is not known to be.
    func isBlocked(_ window: TreeWindow, after number: Int64) throws -> Bool {
        try writes(overlapping: window.keys).contains { queued in
            guard case .tree(let write) = queued.write, write.isRelative, queued.isAttempted else { return false }
            switch queued.state {
            case .queued: return true
            case .sent(let change, _): return (change ?? 0) > number
            case .refused, .conflict: return false
            }
        }
    }

    /// Whether what was read of a part of the tree does not include all that is known to have changed.
    func isOutdated(_ window: TreeWindow, after number: Int64) throws -> Bool {
        if try self.number(of: window.subject) ?? 0 > number { return true }
        let writes = try writes(overlapping: window.keys)
        if writes.contains(where: \.isQueued) { return false }
        return writes.contains { queued in
            if case .sent(let change?, _) = queued.state { change > number } else { false }
        }
    }
}
