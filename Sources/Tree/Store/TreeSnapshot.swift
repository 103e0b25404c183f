/// One state of the tree, to read from as often as need be; valid only within the call that it was given to.
public struct TreeSnapshot {
    let engine: any EngineSnapshot
    let changeLog: ChangeLog
    let rules: RulesCache

    /// The same state, read by way of another engine's snapshot.
    func reading(from engine: any EngineSnapshot) -> TreeSnapshot {
        TreeSnapshot(engine: engine, changeLog: changeLog, rules: rules)
    }

    /// The position in the change log that this state has: all changes up to it are in, none after it.
    public var token: SyncToken {
        get throws(TreeError) { try changeLog.lastToken(in: engine) }
    }

    /// The value at a path, with all that is below; nil if nothing is there.
    public func get(_ path: TreePath) throws(TreeError) -> TreeValue? {
        let top = StoreFormat.dataKey(path)
        var builder = ValueBuilder()
        try engine.scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            try builder.add(path: key.extracting(droppingFirst: top.count), leaf: leaf)
            return true
        }
        return builder.finish()
    }

    /// A short name of what is at a path, priorities among it: another value has another one; `null_etag` for nothing.
    ///
    /// Costs reading all that is there.
    public func etag(of path: TreePath) throws(TreeError) -> String {
        let top = StoreFormat.dataKey(path)
        var builder = ETagBuilder()
        try engine.scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            builder.add(path: key.extracting(droppingFirst: top.count), value: leaf)
            return true
        }
        return builder.finish()
    }

    /// Whether anything is at a path; costs one search.
    public func exists(_ path: TreePath) throws(TreeError) -> Bool {
        try !engine.isEmpty(.subtree(StoreFormat.dataKey(path)))
    }

    /// The children of a node with all that is below them; a page costs its own size, however many there are.
    ///
    /// - Parameters:
    ///   - path: The node; a leaf, or nothing, has no children.
    ///   - range: Which keys.
    ///   - order: Which end of the range comes first.
    ///   - limit: How many children at most; nil for all.
    public func children(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) throws(TreeError) -> [TreeChild] {
        let top = StoreFormat.dataKey(path)
        let limit = limit ?? .max
        var children: [TreeChild] = []
        var current: TreeKey?
        var currentSegment: [UInt8] = []
        var builder = ValueBuilder()
        func finishChild() {
            if let key = current, let value = builder.finish() { children.append(TreeChild(key: key, value: value)) }
            current = nil
        }
        guard limit > 0 else { return [] }
        try engine.scan(range.rows(below: top), reverse: order == .descending) { key, leaf throws(TreeError) in
            let end = try PathEncoding.segmentEnd(in: key, from: top.count)
            let segment = key.extracting(top.count..<end)
            if current == nil || !segment.hasSameBytes(as: currentSegment.span) {
                finishChild()
                guard children.count < limit else { return false }
                current = try PathEncoding.decode(segment)
                currentSegment = segment.copied
            }
            try builder.add(path: key.extracting(droppingFirst: end), leaf: leaf)
            return true
        }
        finishChild()
        return children
    }

    /// The keys of a node's children; costs a search for each key, whatever lies below.
    ///
    /// The parameters are those of ``children(of:range:order:limit:)``.
    public func keys(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) throws(TreeError) -> [TreeKey] {
        let top = StoreFormat.dataKey(path)
        var rest = range.rows(below: top)
        var keys: [TreeKey] = []
        while keys.count < limit ?? .max {
            guard let key = try engine.firstKey(in: rest, reverse: order == .descending) else { break }
            let found = Array(key[..<(try PathEncoding.segmentEnd(in: key.span, from: top.count))])
            keys.append(try PathEncoding.decode(found.span.extracting(droppingFirst: top.count)))
            rest =
                order == .ascending
                ? ByteRange(from: ByteRange.subtree(found).upper, upTo: rest.upper)
                : ByteRange(from: rest.lower, upTo: found)
        }
        return keys
    }
}

extension KeyRange {
    /// The rows of the children in this range, of the node whose own row would be `top`.
    fileprivate func rows(below top: [UInt8]) -> ByteRange {
        let from =
            switch lower {
            case .unbounded: top + [PathEncoding.priorityTag + 1]
            case .including(let key): Self.child(key, below: top).lower
            case .excluding(let key): Self.child(key, below: top).upper
            }
        let upTo =
            switch upper {
            case .unbounded: ByteRange.subtree(top).upper
            case .including(let key): Self.child(key, below: top).upper
            case .excluding(let key): Self.child(key, below: top).lower
            }
        return ByteRange(from: from, upTo: upTo)
    }

    private static func child(_ key: TreeKey, below top: [UInt8]) -> ByteRange {
        var child = top
        PathEncoding.append(key, to: &child)
        return .subtree(child)
    }
}
