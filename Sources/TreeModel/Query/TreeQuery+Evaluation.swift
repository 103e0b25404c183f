extension TreeQuery {
    /// Returns the children of a value that match the query, in its order: the result of a store that holds the value.
    ///
    /// It reads every child, and needs no index. A leaf has no children.
    ///
    /// - Parameters:
    ///   - value: The node; nil if it does not exist.
    ///   - priorities: The priorities of the children that have one, by key: a string or a number each.
    public func children(of value: TreeValue?, priorities: [TreeKey: TreeValue] = [:]) -> [TreeChild] {
        let ordered = (value?.object ?? [:]).map { key, value in
            OrderedChild(child: TreeChild(key: key, value: value), by: order, priority: priorities[key])
        }
        let inRange = ordered.filter { child in
            (lower.map { child.isAtOrAfter($0) } ?? true) && (upper.map { child.isAtOrBefore($0) } ?? true)
        }
        let sorted = inRange.sorted { $0.precedes($1) }.map(\.child)
        let taken: ArraySlice<TreeChild> =
            switch limit {
            case nil: sorted[...]
            case .first(let limit): sorted.prefix(limit)
            case .last(let limit): sorted.suffix(limit)
            }
        return isDescending ? taken.reversed() : Array(taken)
    }
}

/// A child and its order values.
private struct OrderedChild {
    let child: TreeChild
    /// The values that precede the key in the order.
    let values: [OrderedScalar]

    init(child: TreeChild, by order: TreeQuery.Order, priority: TreeValue?) {
        self.child = child
        values =
            switch order {
            case .key: []
            case .value: [OrderedScalar(child.value)]
            case .priority: [OrderedScalar(priority)]
            case .children(let paths): paths.map { OrderedScalar(child.value[path: $0]) }
            }
    }

    func precedes(_ other: OrderedChild) -> Bool {
        for (value, other) in zip(values, other.values) where value != other { return value < other }
        return child.key < other.child.key
    }

    func isAtOrAfter(_ bound: TreeQuery.Bound) -> Bool {
        compare(with: bound).map { $0 > 0 } ?? bound.isInclusive
    }

    func isAtOrBefore(_ bound: TreeQuery.Bound) -> Bool {
        compare(with: bound).map { $0 < 0 } ?? bound.isInclusive
    }

    /// Compares the child with a bound. The result is negative before the bound, positive after it, and nil at the
    /// bound.
    private func compare(with bound: TreeQuery.Bound) -> Int? {
        var key = bound.key
        if values.isEmpty {
            key = bound.values.first??.stringValue
        } else {
            for (value, other) in zip(values, bound.values.map(OrderedScalar.init)) where value != other {
                return value < other ? -1 : 1
            }
        }
        switch key {
        case nil: return nil
        case TreeQuery.Bound.firstKey: return 1
        case TreeQuery.Bound.lastKey: return -1
        case .some(let text):
            let key = TreeKey(unchecked: text)
            return child.key == key ? nil : child.key < key ? -1 : 1
        }
    }
}

/// A value in the order of children: null < false < true < numbers < strings < objects; all objects are equal.
private enum OrderedScalar: Comparable {
    case null
    case `false`
    case `true`
    case number(Double)
    case string([UInt8])
    case object

    init(_ value: TreeValue?) {
        switch value {
        case nil: self = .null
        case .bool(let bool): self = bool ? .true : .false
        case .integer(let integer): self = .number(Double(integer))
        case .double(let double): self = .number(double)
        case .string(let string):
            var text: [UInt8] = []
            CESU8.append(string.utf8.span, to: &text)
            self = .string(Array(text.prefix(TreeQuery.maxComparedBytes)))
        case .object: self = .object
        }
    }

    static func < (left: OrderedScalar, right: OrderedScalar) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.string(let a), .string(let b)): a.lexicographicallyPrecedes(b)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .false: 1
        case .true: 2
        case .number: 3
        case .string: 4
        case .object: 5
        }
    }
}
