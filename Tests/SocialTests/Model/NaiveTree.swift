import TreeModel

/// A minimal JSON tree: nested dictionaries, nothing else.
struct NaiveTree: Equatable, Sendable {
    var root: TreeValue?

    /// The value at a path, such as "people/ann"; nil deletes.
    subscript(path: String) -> TreeValue? {
        get { Self.keys(path).reduce(root) { value, key in value?[key] } }
        set { root = Self.setting(Self.keys(path)[...], to: newValue.flatMap(Self.pruned), in: root) }
    }

    /// Returns the keys below a path, in their order.
    func keys(_ path: String) -> [String] { (self[path]?.object ?? [:]).keys.sorted().map(\.string) }

    func text(_ path: String) -> String? { self[path]?.stringValue }

    /// Returns the nodes of a pattern such as "likes/*/*", each as the keys at its stars.
    func nodes(_ pattern: String) -> Set<[String]> {
        func find(_ parts: ArraySlice<TreeKey>, _ value: TreeValue?, _ stars: [String]) -> [[String]] {
            guard let value else { return [] }
            guard let part = parts.first else { return [stars] }
            let rest = parts.dropFirst()
            guard part == "*" else { return find(rest, value[part], stars) }
            return (value.object ?? [:]).flatMap { key, child in find(rest, child, stars + [key.string]) }
        }
        return Set(find(Self.keys(pattern)[...], root, []))
    }

    static func keys(_ path: String) -> [TreeKey] { path.split(separator: "/").map { TreeKey(unchecked: String($0)) } }

    /// Returns a pattern with keys in place of its stars.
    static func fill(_ pattern: String, _ keys: [String]) -> String {
        var rest = keys[...]
        return pattern.split(separator: "/").map { $0 == "*" ? rest.removeFirst() : String($0) }.joined(separator: "/")
    }

    private static func setting(_ keys: ArraySlice<TreeKey>, to new: TreeValue?, in old: TreeValue?) -> TreeValue? {
        guard let key = keys.first else { return new }
        var children: [TreeKey: TreeValue] = [:]
        if case .object(let existing)? = old { children = existing } else if new == nil { return old }
        children[key] = setting(keys.dropFirst(), to: new, in: children[key])
        return children.isEmpty ? nil : .object(children)
    }

    private static func pruned(_ value: TreeValue) -> TreeValue? {
        guard case .object(let children) = value else { return value }
        let kept = children.compactMapValues(pruned)
        return kept.isEmpty ? nil : .object(kept)
    }

    /// Returns the first paths at which two trees differ.
    static func differences(_ left: TreeValue?, _ right: TreeValue?, at path: String = "") -> [String] {
        guard left != right else { return [] }
        guard let ours = left?.object, let theirs = right?.object else {
            return ["\(path): expected \(show(left)), found \(show(right))"]
        }
        let keys = Set(ours.keys).union(theirs.keys).sorted()
        return Array(keys.flatMap { differences(ours[$0], theirs[$0], at: "\(path)/\($0)") }.prefix(6))
    }

    private static func show(_ value: TreeValue?) -> String {
        value.map { String(decoding: $0.json(), as: UTF8.self) } ?? "nothing"
    }
}

/// A write of a client: a path, and its new value; nil deletes.
struct NaiveWrite: Sendable, CustomStringConvertible {
    let path: String
    let value: TreeValue?

    init(_ path: String, _ value: TreeValue?) { (self.path, self.value) = (path, value) }

    var description: String { "\(path) = \(value.map { String(decoding: $0.json(), as: UTF8.self) } ?? "null")" }
}

extension String {
    /// Whether one of two paths equals, or is above, the other.
    func overlaps(_ other: String) -> Bool {
        self == other || hasPrefix(other + "/") || other.hasPrefix(self + "/")
    }
}
