/// One state of the tree, to read from as often as need be; valid only within the call that it was given to.
public struct TreeSnapshot {
    let engine: any EngineSnapshot
    let changeLog: ChangeLog
    let rules: RulesCache
    /// What has been read of this state; nil for one that is read anew each time.
    private var memory: ReadMemory?

    init(engine: any EngineSnapshot, changeLog: ChangeLog, rules: RulesCache) {
        (self.engine, self.changeLog, self.rules) = (engine, changeLog, rules)
    }

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
        guard let memory, memory.covers(path) else { return try engine.node(StoreFormat.dataKey(path)) }
        return try memory.value(at: path, in: engine)
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
        if let memory, memory.covers(path) { return try get(path) != nil }
        return try !engine.isEmpty(.subtree(StoreFormat.dataKey(path)))
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

    /// The keys of a node's children; costs a search for each key, whatever lies below.
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
    /// The same state, of which the children of some nodes are remembered.
    func remembering(childrenOf lists: [TreePath]) -> TreeSnapshot {
        var snapshot = self
        if !lists.isEmpty { snapshot.memory = ReadMemory(lists: lists) }
        return snapshot
    }

    /// What is made of the value at a path: once, where the state is remembered.
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
    /// The rows of the children in this range, of the node whose own row would be `top`.
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
