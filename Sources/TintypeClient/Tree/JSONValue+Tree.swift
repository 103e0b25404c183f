public import TintypeModel

extension JSONValue {
    /// The value that the service replaces by its time when it writes, in milliseconds since 1970. All of them in one
    /// request are the same time.
    public static let serverTime: JSONValue = [".sv": "timestamp"]

    /// Returns the value that the service replaces by the sum of the present number and another one. Sums of several
    /// devices are never lost. The present number is zero if the node has none.
    public static func increment(by number: Int) -> JSONValue { [".sv": ["increment": .integer(Int64(number))]] }

    /// Returns the value that the service replaces by the sum of the present number and another one.
    public static func increment(by number: Double) -> JSONValue { [".sv": ["increment": .double(number)]] }
}

extension JSONValue {
    /// The names that begin with a dot and that the tree knows: server values, priorities, and leaves that have one.
    private static let ownNames: Set<String> = [".sv", ".value", ".priority"]

    /// Checks that all keys in a value are ones that the tree can have, and that it is not too deep at a path.
    func checkKeys(at path: TreePath) throws(TreeInputError) {
        guard path.keys.count <= TreePath.maxDepth else {
            throw TreeInputError(path.text, "has values deeper than \(TreePath.maxDepth) keys")
        }
        switch self {
        case .object(let members):
            for (key, member) in members {
                if Self.ownNames.contains(key) { continue }
                try member.checkKeys(at: path.child(key))
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element != .null {
                try element.checkKeys(at: path.child(String(index)))
            }
        case .null, .bool, .integer, .double, .string: break
        }
    }

    /// The value as the tree has it: lists are objects with the keys 0, 1, 2 …; nulls and empty objects are left out.
    package var node: JSONValue {
        let children: [String: JSONValue]
        switch self {
        case .object(let members): children = members.mapValues(\.node)
        case .array(let elements):
            children = Dictionary(uniqueKeysWithValues: elements.enumerated().map { (String($0), $1.node) })
        case .null, .bool, .integer, .double, .string: return self
        }
        let present = children.filter { $0.value != .null }
        return present.isEmpty ? .null : .object(present)
    }

    /// The node as the service sends it: an object is a list if its keys are whole numbers from zero, with less than
    /// half of them missing.
    package var sent: JSONValue {
        guard case .object(let children) = self else { return self }
        var elements: [JSONValue] = []
        for (key, child) in children {
            guard let index = Int32(key).map(Int.init), index >= 0, index < 2 * children.count, String(index) == key
            else { return .object(children.mapValues(\.sent)) }
            if index >= elements.count { elements += Array(repeating: .null, count: index + 1 - elements.count) }
            elements[index] = child.sent
        }
        return .array(elements)
    }

    /// Replaces the node at a path below this one. A node that loses its last child goes, too.
    package mutating func setNode(_ node: JSONValue, at path: ArraySlice<String>) {
        guard let key = path.first else { return self = node }
        var children = object ?? [:]
        if node == .null, children[key] == nil { return }
        self = .null  // so that the children are not copied
        children[key, default: .null].setNode(node, at: path.dropFirst())
        if children[key] == .null { children[key] = nil }
        self = children.isEmpty ? .null : .object(children)
    }
}
