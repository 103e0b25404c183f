/// One state of the tree, for any number of reads; valid only within the call that it was passed to.
public struct TreeSnapshot {
    let engine: any EngineSnapshot
    let changeLog: ChangeLog
    let rules: RulesCache
    /// The cache of values read from this state; nil if each read goes to the engine.
    private var memory: ReadMemory?

    init(engine: any EngineSnapshot, changeLog: ChangeLog, rules: RulesCache) {
        (self.engine, self.changeLog, self.rules) = (engine, changeLog, rules)
    }

    /// Returns the same state, read through another engine snapshot.
    func reading(from engine: any EngineSnapshot) -> TreeSnapshot {
        TreeSnapshot(engine: engine, changeLog: changeLog, rules: rules)
    }

    /// The position of this state in the change log: it contains all changes up to it and none after it.
    public var token: SyncToken {
        get throws(TreeError) { try changeLog.lastToken(in: engine) }
    }

    /// Returns the value at a path with everything below it; nil if none exists.
    public func get(_ path: TreePath) throws(TreeError) -> TreeValue? {
        guard let memory, memory.covers(path) else { return try engine.node(StoreFormat.dataKey(path)) }
        return try memory.value(at: path, in: engine)
    }

    /// Returns a short identifier of the value at a path, including priorities: different values have different ETags.
    /// It is `null_etag` if no value exists.
    ///
    /// The cost is that of reading the whole value.
    public func etag(of path: TreePath) throws(TreeError) -> String {
        let top = StoreFormat.dataKey(path)
        var builder = ETagBuilder()
        try engine.scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            builder.add(path: key.extracting(droppingFirst: top.count), value: leaf)
            return true
        }
        return builder.finish()
    }

    /// Whether a value exists at a path; costs one search.
    public func exists(_ path: TreePath) throws(TreeError) -> Bool {
        if let memory, memory.covers(path) { return try get(path) != nil }
        return try !engine.isEmpty(.subtree(StoreFormat.dataKey(path)))
    }

    /// Returns the children of a node with everything below them. The cost depends on the size of the page, not on the
    /// number of children.
    ///
    /// - Parameters:
    ///   - path: The node; a leaf or a missing value has no children.
    ///   - range: The range of keys.
    ///   - order: The end of the range at which to begin.
    ///   - limit: The largest number of children; nil for all.
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
        guard limit > 0, try memory?.isEmpty(above: path, in: engine) != true else { return [] }
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
        memory?.keep(children, of: path)
        return children
    }

    /// Returns the keys of a node's children; costs one search per key, whatever is stored below.
    ///
    /// The parameters are those of ``children(of:range:order:limit:)``.
    public func keys(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) throws(TreeError) -> [TreeKey] {
        let top = StoreFormat.dataKey(path)
        let segments = try engine.childSegments(
            in: range.rows(below: top), below: top.count, reverse: order == .descending, limit: limit ?? .max)
        return try segments.map { segment throws(TreeError) in try PathEncoding.decode(segment.span) }
    }
}

extension TreeSnapshot {
    /// Returns the same state with a cache for the children of these nodes.
    func remembering(childrenOf lists: [TreePath]) -> TreeSnapshot {
        var snapshot = self
        if !lists.isEmpty { snapshot.memory = ReadMemory(lists: lists) }
        return snapshot
    }

    /// Returns the result of a conversion of the value at a path; the result is cached if the path is covered by the
    /// cache.
    package func reading<Made>(
        _ path: TreePath, as make: (TreeValue?) throws(TreeError) -> Made?
    ) throws(TreeError) -> Made? {
        guard let memory, memory.covers(path) else { return try make(try get(path)) }
        if let made = memory.made(of: path, as: Made.self) { return made }
        let made = try make(try get(path))
        memory.keep(made, of: path)
        return made
    }
}

extension KeyRange {
    /// Returns the rows of the children in this range below the node with row key `top`.
    fileprivate func rows(below top: [UInt8]) -> ByteRange {
        let all = ByteRange.children(of: top)
        let from =
            switch lower {
            case .unbounded: all.lower
            case .including(let key): Self.child(key, below: top).lower
            case .excluding(let key): Self.child(key, below: top).upper
            }
        let upTo =
            switch upper {
            case .unbounded: all.upper
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
