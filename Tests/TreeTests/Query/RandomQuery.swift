import TestSupport
import Tree

extension TreeQuery {
    /// Returns the query's JSON for the children that it has selected.
    func json(ofTaken taken: [TreeChild]) -> String {
        guard !taken.isEmpty else { return "null" }
        guard isDescending else {
            let object = Dictionary(uniqueKeysWithValues: taken.map { ($0.key, $0.value) })
            return String(decoding: TreeValue.object(object).json(), as: UTF8.self)
        }
        let members = taken.map { child in
            let key = String(decoding: TreeValue.string(child.key.string).json(), as: UTF8.self)
            return key + ":" + String(decoding: child.value.json(), as: UTF8.self)
        }
        return "{\(members.joined(separator: ","))}"
    }
}

// MARK: Random queries

extension SeededGenerator {
    /// Scalars: few enough to be equal often, of all kinds that the order distinguishes, and hard to distinguish as
    /// bytes.
    static let scalars: [TreeValue?] = [
        nil, false, true, -1e300, -1, -0.5, 0, 1e-300, 0.5, 1, 9_007_199_254_740_993, 1e300, "", "a", "ab", "b",
        "\u{0}", "\u{1}", "\u{1}\u{1}", "a\u{0}", "a\u{1}", "a\u{2}", "é", "\u{7F}", "\u{FFFD}", "\u{10400}",
    ]

    mutating func scalar() -> TreeValue? { Self.scalars.randomElement(using: &self) ?? nil }

    /// Returns a child with something to order it by.
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
