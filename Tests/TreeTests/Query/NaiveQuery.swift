@testable import Tree

/// A query as simple as can be, to compare the store's with: everything is read, compared and sorted.
struct NaiveQuery {
    struct Child: Equatable {
        let key: TreeKey
        let value: TreeValue
        var priority: TreeValue?
    }

    let query: TreeQuery

    /// What the query takes, in its order.
    func take(from children: [Child]) -> [Child] {
        var taken = children.filter(isInRange).sorted(by: precedes)
        switch query.limit {
        case nil: break
        case .first(let limit): taken = Array(taken.prefix(limit))
        case .last(let limit): taken = Array(taken.suffix(limit))
        }
        return query.isDescending ? taken.reversed() : taken
    }

    /// What the query's JSON is.
    func json(from children: [Child]) -> String {
        let taken = take(from: children)
        guard !taken.isEmpty else { return "null" }
        guard query.isDescending else {
            let object = Dictionary(uniqueKeysWithValues: taken.map { ($0.key, $0.value) })
            return String(decoding: TreeValue.object(object).json(), as: UTF8.self)
        }
        let members = taken.map { child in
            let key = String(decoding: TreeValue.string(child.key.string).json(), as: UTF8.self)
            return key + ":" + String(decoding: child.value.json(), as: UTF8.self)
        }
        return "{\(members.joined(separator: ","))}"
    }

    private func values(of child: Child) -> [TreeValue?] {
        switch query.order {
        case .key: [.string(child.key.string)]
        case .value: [child.value]
        case .priority: [child.priority]
        case .children(let paths): paths.map { child.value[path: $0] }
        }
    }

    private func precedes(_ left: Child, _ right: Child) -> Bool {
        let order = query.order == .key ? 0 : Self.compare(values(of: left), values(of: right))
        return order == 0 ? left.key < right.key : order < 0
    }

    private func isInRange(_ child: Child) -> Bool {
        if let lower = query.lower {
            let order = compare(child, with: lower)
            guard order > 0 || order == 0 && lower.isInclusive else { return false }
        }
        if let upper = query.upper {
            let order = compare(child, with: upper)
            guard order < 0 || order == 0 && upper.isInclusive else { return false }
        }
        return true
    }

    private func compare(_ child: Child, with bound: TreeQuery.Bound) -> Int {
        guard query.order != .key else { return Self.compare(child.key, bound.values[0]?.stringValue) }
        let order = Self.compare(Array(values(of: child).prefix(bound.values.count)), bound.values)
        return order == 0 && bound.key != nil ? Self.compare(child.key, bound.key) : order
    }

    private static func compare(_ key: TreeKey, _ other: String?) -> Int {
        guard let other = try? TreeKey(other ?? "") else { return 1 }
        return key == other ? 0 : key < other ? -1 : 1
    }

    private static func compare(_ left: [TreeValue?], _ right: [TreeValue?]) -> Int {
        zip(left, right).lazy.map(compare).first { $0 != 0 } ?? 0
    }

    private static func compare(_ left: TreeValue?, _ right: TreeValue?) -> Int {
        guard rank(left) == rank(right) else { return rank(left) < rank(right) ? -1 : 1 }
        if let a = left?.doubleValue, let b = right?.doubleValue { return a == b ? 0 : a < b ? -1 : 1 }
        if let a = left?.stringValue?.utf16, let b = right?.stringValue?.utf16 {
            return a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
        }
        return 0
    }

    private static func rank(_ value: TreeValue?) -> Int {
        switch value {
        case nil: 0
        case .bool(false): 1
        case .bool(true): 2
        case .integer, .double: 3
        case .string: 4
        case .object: 5
        }
    }
}

// MARK: Random queries

extension SeededGenerator {
    /// Few enough to be equal often, of all kinds that the order knows, and hard to tell apart as bytes.
    static let scalars: [TreeValue?] = [
        nil, false, true, -1e300, -1, -0.5, 0, 1e-300, 0.5, 1, 9_007_199_254_740_993, 1e300, "", "a", "ab", "b",
        "\u{0}", "\u{1}", "\u{1}\u{1}", "a\u{0}", "a\u{1}", "a\u{2}", "é", "\u{7F}", "\u{FFFD}", "\u{10400}",
    ]

    mutating func scalar() -> TreeValue? { Self.scalars.randomElement(using: &self) ?? nil }

    /// A child with something to order it by.
    mutating func child() -> TreeValue? {
        guard chance(70) else { return scalar() }
        var children: [TreeKey: TreeValue] = [:]
        if chance(80) { children["a"] = chance(10) ? ["x": 1] : scalar() }
        if chance(80) { children["b"] = chance(50) ? scalar() : .object(["a": scalar() ?? 7]) }
        if chance(30) { children[key()] = leaf() }
        return .object(children)
    }

    mutating func priority() -> TreeValue? {
        [nil, -3, 0, 2.5, 10, "", "a", "b"].randomElement(using: &self) ?? nil
    }

    static let orders: [TreeQuery.Order] = [
        .key, .priority, .value, .child("a"), .child("b/a"), .child("nothing/there"), .children(["a", "b"]),
        .children(["b/a", "a", "b"]),
    ]

    mutating func query() throws -> TreeQuery {
        let order = Self.orders.randomElement(using: &self) ?? .key
        let limit: TreeQuery.Limit? =
            switch Int.random(in: 0..<3, using: &self) {
            case 0: nil
            case 1: .first(Int.random(in: 1...6, using: &self))
            default: .last(Int.random(in: 1...6, using: &self))
            }
        let isDescending = chance(30)
        guard !chance(20) else {
            return try TreeQuery(order: order, equalTo: bound(of: order), limit: limit, isDescending: isDescending)
        }
        return try TreeQuery(
            order: order, from: chance(60) ? bound(of: order) : nil, to: chance(60) ? bound(of: order) : nil,
            limit: limit, isDescending: isDescending)
    }

    private mutating func bound(of order: TreeQuery.Order) -> TreeQuery.Bound {
        let isInclusive = chance(50)
        switch order {
        case .key:
            return TreeQuery.Bound(.string(key().string), isInclusive: isInclusive)
        case .children(let paths) where paths.count > 1:
            let isWhole = chance(60)
            let count = isWhole ? paths.count : Int.random(in: 1...paths.count, using: &self)
            return TreeQuery.Bound(
                values: (0..<count).map { _ in scalar() }, key: isWhole && chance(50) ? key().string : nil,
                isInclusive: isInclusive)
        default:
            return TreeQuery.Bound(scalar(), key: chance(40) ? key().string : nil, isInclusive: isInclusive)
        }
    }
}
