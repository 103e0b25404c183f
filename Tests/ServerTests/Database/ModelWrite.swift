/// The write of a request, at one path or several at once.
struct ModelWrite {
    enum Value: Equatable {
        case node(ModelNode)
        case priority(ModelLeaf?)
    }

    struct Entry: Equatable {
        var path: ModelPath
        var value: Value
    }

    /// The path that a multi-path update's paths are relative to; nil for a write at one path.
    let base: ModelPath?
    private(set) var entries: [Entry] = []
    private(set) var before = ModelNode.nothing
    private(set) var after = ModelNode.nothing

    /// Reads the write of a request.
    init(_ request: ModelRequest) throws(ModelRefusal) {
        base = request.method == .patch ? request.path : nil
        guard request.method != .delete else {
            entries = [Entry(path: request.path, value: request.isPriority ? .priority(nil) : .node(.nothing))]
            return
        }
        guard let body = request.body, !body.isEmpty else { throw ModelRefusal("Error: No data supplied.") }
        guard let json = NaiveJSON(body) else { throw .invalidData }
        switch request.method {
        case .patch:
            entries = try Self.entries(json, below: request.path)
        default:
            let isPost = request.method == .post
            let value = try Self.value(
                json, isPriority: request.isPriority, depth: request.path.count + (isPost ? 1 : 0))
            entries = [Entry(path: request.path, value: value)]
        }
    }

    private static func value(_ json: NaiveJSON, isPriority: Bool, depth: Int) throws(ModelRefusal) -> Value {
        isPriority ? .priority(try ModelLeaf(priority: json)) : .node(try ModelNode(json, depth: depth))
    }

    private static func entries(_ json: NaiveJSON, below base: ModelPath) throws(ModelRefusal) -> [Entry] {
        guard case .object(let members) = json else { throw .invalidData }
        var entries: [Entry] = []
        for member in members {
            var path = member.key.string.unicodeScalars.split(separator: "/").map { ModelText(String($0)) }
            let isPriority = path.last == ".priority"
            if isPriority { path.removeLast() }
            guard path.allSatisfy(\.isKey) else { throw .invalidData }
            let value = try value(member.value, isPriority: isPriority, depth: base.count + path.count)
            entries.append(Entry(path: base + path, value: value))
        }
        for (index, entry) in entries.enumerated() {
            for other in entries[..<index] where entry.conflicts(with: other) {
                throw ModelRefusal("/")
            }
        }
        return entries.sorted { $0.precedes($1) }
    }

    /// Replaces sums, given the values before the write.
    mutating func resolve(over root: ModelNode) throws(ModelRefusal) {
        entries = try entries.map { entry throws(ModelRefusal) in
            var entry = entry
            let old = root[entry.path]
            switch entry.value {
            case .node(let node):
                entry.value = .node(
                    try node.mapped(over: old) { new, old throws(ModelRefusal) in try new.resolved(over: old) })
            case .priority(let leaf):
                entry.value = .priority(try leaf?.resolved(over: old.priority))
            }
            return entry
        }
    }

    /// Returns the tree after the write: all paths at once.
    func applied(to root: ModelNode) -> ModelNode {
        var root = root
        for entry in entries { if case .node(let node) = entry.value { root.set(entry.path, to: node) } }
        root = root.tidied
        for entry in entries { if case .priority(let leaf) = entry.value { root.setPriority(leaf, at: entry.path) } }
        return root
    }

    mutating func finish(before: ModelNode, after: ModelNode) { (self.before, self.after) = (before, after) }

    // MARK: Values from the service

    var hasNow: Bool {
        entries.contains { entry in
            switch entry.value {
            case .node(let node): node.hasNow
            case .priority(let leaf): leaf == .now
            }
        }
    }

    mutating func fill(now: ModelLeaf) {
        for index in entries.indices {
            switch entries[index].value {
            case .node(let node):
                guard let filled = try? node.mapped(over: .nothing, { new, _ in new == .now ? now : new }) else {
                    break
                }
                entries[index].value = .node(filled)
            case .priority(let leaf):
                if leaf == .now { entries[index].value = .priority(now) }
            }
        }
    }

    mutating func append(_ key: ModelText) {
        for index in entries.indices { entries[index].path.append(key) }
    }

    // MARK: The answer

    /// The written value, in the form of the answer.
    var json: NaiveJSON {
        guard let base else { return entries.first?.json ?? .null }
        return .object(
            entries.map { entry in
                let isPriority = if case .priority = entry.value { true } else { false }
                let path = entry.path.dropFirst(base.count) + (isPriority ? [".priority"] : [])
                return .init(key: ModelText(ModelPath(path).relative), value: entry.json)
            })
    }
}

extension ModelWrite.Entry {
    var json: NaiveJSON {
        switch value {
        case .node(let node): NaiveJSON(plain: node)
        case .priority(let leaf): NaiveJSON(leaf)
        }
    }

    private var isPriority: Bool { if case .priority = value { true } else { false } }

    /// Whether both entries write the same node, at least in part.
    fileprivate func conflicts(with other: ModelWrite.Entry) -> Bool {
        switch (isPriority, other.isPriority) {
        case (true, true): path == other.path
        case (true, false): path.starts(with: other.path)
        case (false, true): other.path.starts(with: path)
        case (false, false): path.starts(with: other.path) || other.path.starts(with: path)
        }
    }

    /// Whether the entry comes first: a priority before the node's children.
    fileprivate func precedes(_ other: ModelWrite.Entry) -> Bool {
        for (key, otherKey) in zip(path, other.path) where key != otherKey { return key.precedesAsKey(otherKey) }
        guard path.count == other.path.count else { return path.count < other.path.count }
        return isPriority && !other.isPriority
    }
}
