// The conversion between the protocol's JSON and the model.

extension ModelNode {
    static let maxDepth = 32

    /// Reads the new value of a path: null and empty containers are nothing, arrays are objects with the keys 0, 1, 2
    /// ….
    ///
    /// - Parameter depth: The number of keys in the path.
    init(_ json: NaiveJSON, depth: Int) throws(ModelRefusal) {
        self.init()
        guard depth <= Self.maxDepth else { throw .tooLarge }
        switch json {
        case .null: return
        case .leaf(let leaf): self.leaf = leaf
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                children[ModelText("\(index)")] = try ModelNode(element, depth: depth + 1)
            }
        case .object(let members): try read(members, depth: depth)
        }
        self = tidied
    }

    private mutating func read(_ members: [NaiveJSON.Member], depth: Int) throws(ModelRefusal) {
        let keys = members.map(\.key)
        guard Set(keys).count == keys.count else { throw .invalidData }
        if keys.contains(".sv") { return leaf = try ModelLeaf(serverValue: members) }
        if keys.contains(".value") {
            guard keys.allSatisfy({ [".value", ".priority"].contains($0) }) else { throw .invalidData }
        }
        for member in members {
            switch member.key {
            case ".value": leaf = try ModelLeaf(scalar: member.value)
            case ".priority": priority = try ModelLeaf(priority: member.value)
            case let key:
                guard key.isKey else { throw .invalidData }
                children[key] = try ModelNode(member.value, depth: depth + 1)
            }
        }
    }
}

extension ModelLeaf {
    /// Reads `{".sv": "timestamp"}` or `{".sv": {"increment": number}}`.
    init(serverValue members: [NaiveJSON.Member]) throws(ModelRefusal) {
        guard members.count == 1, members[0].key == ".sv" else { throw .invalidData }
        switch members[0].value {
        case .leaf(.text("timestamp")): self = .now
        case .object(let operation) where operation.count == 1 && operation[0].key == "increment":
            guard case .leaf(let number) = operation[0].value, number.number != nil else { throw .invalidData }
            self = .increment(number)
        default: throw .invalidData
        }
    }

    /// Reads a leaf or a server value; nil for null.
    init?(scalar json: NaiveJSON) throws(ModelRefusal) {
        switch json {
        case .null: return nil
        case .leaf(let leaf): self = leaf
        case .object(let members): self = try ModelLeaf(serverValue: members)
        case .array: throw .invalidData
        }
    }

    /// Reads a string, a number or a server value; nil for null.
    init?(priority json: NaiveJSON) throws(ModelRefusal) {
        guard let leaf = try ModelLeaf(scalar: json) else { return nil }
        if case .bool = leaf { throw .invalidData }
        self = leaf
    }
}

extension NaiveJSON {
    init(_ leaf: ModelLeaf?) { self = leaf.map(NaiveJSON.leaf) ?? .null }

    /// Writes values alone; an object with only integer keys, the largest below twice their number, is an array.
    init(plain node: ModelNode) {
        guard node.leaf == nil, !node.children.isEmpty else {
            self.init(node.leaf)
            return
        }
        let indexes = node.children.keys.compactMap(\.index)
        if indexes.count == node.children.count, let last = indexes.max(), last < 2 * indexes.count {
            self = .array((0...last).map { NaiveJSON(plain: node.children[ModelText("\($0)")] ?? .nothing) })
        } else {
            self = .object(
                node.sortedKeys.map { Member(key: $0, value: NaiveJSON(plain: node.children[$0] ?? .nothing)) })
        }
    }

    /// Writes values with priorities, and without arrays.
    init(export node: ModelNode) {
        let priority = node.priority.map { Member(key: ".priority", value: .leaf($0)) }
        if let leaf = node.leaf {
            self = priority.map { .object([Member(key: ".value", value: .leaf(leaf)), $0]) } ?? .leaf(leaf)
        } else if node.isNothing {
            self = .null
        } else {
            let members = node.sortedKeys.map {
                Member(key: $0, value: NaiveJSON(export: node.children[$0] ?? .nothing))
            }
            self = .object((priority.map { [$0] } ?? []) + members)
        }
    }

    /// Writes only the keys of an object.
    init(shallow node: ModelNode) {
        guard !node.children.isEmpty else {
            self.init(node.leaf)
            return
        }
        self = .object(node.sortedKeys.map { Member(key: $0, value: .leaf(.bool(true))) })
    }
}
