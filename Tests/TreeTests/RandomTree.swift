import TestSupport

@testable import Tree

extension SeededGenerator {
    /// Keys that are few enough to collide often, of all kinds that the key order distinguishes.
    static let keys: [TreeKey] = [
        "a", "ab", "b", "é", "e\u{301}", "0", "1", "01", "-0", "-5", "10", "2147483648", "\u{FFFD}", "\u{10400}", "~",
    ]

    mutating func key() -> TreeKey { Self.keys.randomElement(using: &self) ?? "a" }

    mutating func path(maxDepth: Int = 4) -> TreePath {
        TreePath((0..<Int.random(in: 0...maxDepth, using: &self)).map { _ in key() })
    }

    mutating func leaf() -> TreeValue {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .bool(chance(50))
        case 1: .integer(Int64.random(in: .min ... .max, using: &self))
        case 2: .double(Double.random(in: -1e9...1e9, using: &self))
        case 3: .double(Double(Int.random(in: -9...9, using: &self)))
        default: .string(["", "x", "é", "e\u{301}", "\u{0}\u{1F600}"].randomElement(using: &self) ?? "")
        }
    }

    mutating func value(maxDepth: Int = 3) -> TreeValue {
        guard maxDepth > 0, chance(60) else { return leaf() }
        var children: [TreeKey: TreeValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &self) { children[key()] = value(maxDepth: maxDepth - 1) }
        return .object(children)
    }

    mutating func optionalValue() -> TreeValue? { chance(25) ? nil : value() }

    mutating func precondition(on tree: NaiveTree) -> Precondition {
        let path = path()
        return switch Int.random(in: 0..<4, using: &self) {
        case 0: .exists(path)
        case 1: .absent(path)
        case 2: .equals(path, tree.get(path))
        default: .equals(path, optionalValue())
        }
    }

    /// Returns an update that may have conflicting paths.
    mutating func update(on tree: NaiveTree) -> MultiPathUpdate {
        var update = MultiPathUpdate()
        for _ in 0..<Int.random(in: 1...4, using: &self) { update[path()] = optionalValue() }
        if chance(40) { update.preconditions.append(precondition(on: tree)) }
        return update
    }

    mutating func range() -> KeyRange {
        KeyRange(lower: bound(), upper: bound())
    }

    private mutating func bound() -> KeyRange.Bound {
        switch Int.random(in: 0..<3, using: &self) {
        case 0: .unbounded
        case 1: .including(key())
        default: .excluding(key())
        }
    }
}

extension KeyRange {
    /// Whether a key is in the range, by a comparison with both ends.
    func contains(_ key: TreeKey) -> Bool {
        let isAboveLower =
            switch lower {
            case .unbounded: true
            case .including(let bound): key >= bound
            case .excluding(let bound): key > bound
            }
        let isBelowUpper =
            switch upper {
            case .unbounded: true
            case .including(let bound): key <= bound
            case .excluding(let bound): key < bound
            }
        return isAboveLower && isBelowUpper
    }
}

extension MultiPathUpdate {
    /// Whether one path is above another, by a comparison of all pairs.
    var hasConflictingPaths: Bool {
        values.keys.contains { path in values.keys.contains { path.isAncestor(of: $0) } }
    }
}
