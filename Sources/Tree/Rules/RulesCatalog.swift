import Rules

/// The indexes and times to live that the rules of a tree define, stored as one row:
///
///     version(8) next id(8)
///     for each: id(8) kind(1) state(1) pattern, counted; paths(1) and for each path, counted
///
/// The kind is 0 for an index of values, 1 for an index of children, 2 for a time to live. In a pattern, the byte 01
/// matches any key; everything else is as in ``PathEncoding``. Numbers are big endian.
struct RulesCatalog {
    /// A time to live that the rules give to the nodes that match a pattern.
    struct Expiry: Hashable, Sendable {
        let id: UInt64
        let nodes: PathPattern
    }

    /// The version of the catalog. It grows with each change of the rules or of an index's state.
    private(set) var version: UInt64 = 0
    private var nextID: UInt64 = 0
    private(set) var indexes: [Index] = []
    private(set) var expiries: [Expiry] = []

    init() {}

    static func key(of namespace: Namespace) -> [UInt8] { StoreFormat.metaKey("catalog", of: namespace) }
}

// MARK: Changes

extension RulesCatalog {
    /// Replaces the entries by those that other rules define. Unchanged entries keep their ids; indexes that the rules
    /// no longer define are marked as dropped, and times to live are removed.
    mutating func replace(by root: RulesNode) {
        var wanted: [(parents: PathPattern, order: ChildOrder)] = []
        var mortal: [PathPattern] = []
        root.forEach { pattern, node in
            wanted += node.indexes.map { (pattern, ChildOrder($0)) }
            if node.timeToLiveMilliseconds != nil { mortal.append(pattern) }
        }
        for position in indexes.indices where indexes[position].state != .dropped {
            let index = indexes[position]
            let other = wanted.firstIndex { $0.parents == index.parents && $0.order == index.order }
            if let other { wanted.remove(at: other) } else { indexes[position].state = .dropped }
        }
        for (parents, order) in wanted {
            indexes.append(Index(id: takeID(), parents: parents, order: order, state: .building))
        }
        expiries.removeAll { !mortal.contains($0.nodes) }
        for nodes in mortal where !expiries.contains(where: { $0.nodes == nodes }) {
            expiries.append(Expiry(id: takeID(), nodes: nodes))
        }
        version += 1
    }

    /// Marks all indexes to be rebuilt.
    mutating func rebuildIndexes() {
        let kept = indexes.filter { $0.state != .dropped }
        for position in indexes.indices { indexes[position].state = .dropped }
        for index in kept {
            indexes.append(Index(id: takeID(), parents: index.parents, order: index.order, state: .building))
        }
        version += 1
    }

    /// Records that all entries of an index have been written.
    mutating func markReady(_ id: UInt64) {
        guard let position = indexes.firstIndex(where: { $0.id == id && $0.state == .building }) else { return }
        indexes[position].state = .ready
        version += 1
    }

    /// Removes an index whose entries have been deleted.
    mutating func forget(_ id: UInt64) {
        indexes.removeAll { $0.id == id && $0.state == .dropped }
        version += 1
    }

    private mutating func takeID() -> UInt64 {
        nextID += 1
        return nextID
    }
}

// MARK: The row

extension RulesCatalog {
    private static let valueKind: UInt8 = 0
    private static let childrenKind: UInt8 = 1
    private static let expiryKind: UInt8 = 2

    var row: [UInt8] {
        var row: [UInt8] = []
        row.appendBigEndian(version)
        row.appendBigEndian(nextID)
        for index in indexes {
            row.appendBigEndian(index.id)
            guard case .children(let paths) = index.order else {
                row += [Self.valueKind, index.state.rawValue]
                row.appendCounted(index.parents.bytes.span)
                row.append(0)
                continue
            }
            row += [Self.childrenKind, index.state.rawValue]
            row.appendCounted(index.parents.bytes.span)
            row.append(UInt8(truncatingIfNeeded: paths.count))
            for path in paths { row.appendCounted(path.span) }
        }
        for expiry in expiries {
            row.appendBigEndian(expiry.id)
            row += [Self.expiryKind, 0]
            row.appendCounted(expiry.nodes.bytes.span)
            row.append(0)
        }
        return row
    }

    init(row: Span<UInt8>) throws(TreeError) {
        var cursor = ByteCursor()
        version = try cursor.next(in: row)
        nextID = try cursor.next(in: row)
        while cursor.offset < row.count {
            let id: UInt64 = try cursor.next(in: row)
            let kind: UInt8 = try cursor.next(in: row)
            let state: UInt8 = try cursor.next(in: row)
            let pattern = try PathPattern(bytes: row.extracting(try cursor.nextRun(in: row)))
            let pathCount: UInt8 = try cursor.next(in: row)
            var paths: [[UInt8]] = []
            for _ in 0..<pathCount { paths.append(row.extracting(try cursor.nextRun(in: row)).copied) }
            guard kind <= Self.expiryKind, let state = Index.State(rawValue: state) else {
                throw TreeError.corrupt("the catalog of indexes in the store is malformed")
            }
            if kind == Self.expiryKind {
                expiries.append(Expiry(id: id, nodes: pattern))
            } else {
                let order: ChildOrder = kind == Self.valueKind ? .value : .children(paths)
                indexes.append(Index(id: id, parents: pattern, order: order, state: state))
            }
        }
    }

    static func version(ofRow row: Span<UInt8>) throws(TreeError) -> UInt64 { try row.bigEndian(at: 0) }
}

extension PathPattern {
    private static let anyTag = PathEncoding.priorityTag

    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for element in elements {
            switch element {
            case .segment(let segment): bytes += segment
            case .any: bytes.append(Self.anyTag)
            }
        }
        return bytes
    }

    fileprivate init(bytes: Span<UInt8>) throws(TreeError) {
        var elements: [Element] = []
        var start = 0
        while start < bytes.count {
            let end = try PathEncoding.segmentEnd(in: bytes, from: start)
            elements.append(bytes[start] == Self.anyTag ? .any : .segment(bytes.extracting(start..<end).copied))
            start = end
        }
        self.init(elements)
    }
}
