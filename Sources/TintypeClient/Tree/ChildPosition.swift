import TintypeModel

/// The position of a child among others in the order of a query.
struct ChildPosition: Hashable, Sendable {
    let key: String
    private let value: Value

    /// - Parameter child: The value of the child, as the tree has it.
    init(_ key: String, _ child: JSONValue, in order: TreeQuery.Order) {
        self.key = key
        switch order {
        case .key: value = .none
        case .value: value = Value(child)
        case .child(let path):
            let keys = (try? TreePath(path))?.keys ?? []
            value = Value(keys.reduce(child) { $0[$1] ?? .null })
        }
    }

    /// Returns whether the position is before or behind a bound: a value, and a key among those with the value. A bound
    /// without a key is all children with its value.
    func relation(to bound: JSONValue, _ key: String?, in order: TreeQuery.Order) -> (isBefore: Bool, isBehind: Bool) {
        if order == .key {
            let other = bound.string ?? ""
            return (KeyOrder.precedes(self.key, other), KeyOrder.precedes(other, self.key))
        }
        let other = Value(bound)
        if value.precedes(other) { return (true, false) }
        if other.precedes(value) { return (false, true) }
        guard let key else { return (false, false) }
        return (KeyOrder.precedes(self.key, key), KeyOrder.precedes(key, self.key))
    }

    private enum Value: Hashable {
        case none
        case bool(Bool)
        case number(Double)
        case text([UInt16])
        case object

        init(_ value: JSONValue) {
            switch value {
            case .null: self = .none
            case .bool(let bool): self = .bool(bool)
            case .integer(let integer): self = .number(Double(integer))
            case .double(let double): self = .number(double)
            case .string(let string): self = .text(Array(string.utf16))
            case .array, .object: self = .object
            }
        }

        var rank: Int {
            switch self {
            case .none: 0
            case .bool(let bool): bool ? 2 : 1
            case .number: 3
            case .text: 4
            case .object: 5
            }
        }

        func precedes(_ other: Value) -> Bool {
            switch (self, other) {
            case (.number(let left), .number(let right)): left < right
            case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
            default: rank < other.rank
            }
        }
    }
}

extension ChildPosition: Comparable {
    static func < (left: ChildPosition, right: ChildPosition) -> Bool {
        left.value == right.value ? KeyOrder.precedes(left.key, right.key) : left.value.precedes(right.value)
    }
}
