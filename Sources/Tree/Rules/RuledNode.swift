import Rules
import TreeModel

/// A node of one state of a tree, as rules see it. Data is read only when a rule needs it, and only once.
final class RuledNode: RulesData {
    private let rows: any RuledRows
    /// The key of the node's row.
    private let key: [UInt8]
    /// The length of the prefix that all keys of the tree share, in bytes.
    private let treeLength: Int
    /// The value of the node, and whether the node exists, once a rule has read them.
    private var knownValue: RulesScalar?
    private var isKnownToExist: Bool?

    private init(_ rows: any RuledRows, key: [UInt8], treeLength: Int) {
        self.rows = rows
        self.key = key
        self.treeLength = treeLength
    }

    /// Creates the root of the tree whose keys have this prefix.
    convenience init(rootOf prefix: [UInt8], in rows: any RuledRows) {
        self.init(rows, key: prefix, treeLength: prefix.count)
    }

    func child(_ path: String) throws(TreeError) -> any RulesData {
        var child: [UInt8] = []
        child.reserveCapacity(key.count + path.utf8.count + 8)
        child += key
        // Most paths are a single key and need no list.
        if TreeKey.complaint(about: path.utf8.span) == nil {
            PathEncoding.append(utf8: path.utf8.span, to: &child)
        } else {
            guard let keys = RulesPath.keys(of: path) else { return NoNode(below: self) }
            for name in keys { PathEncoding.append(name, to: &child) }
        }
        return RuledNode(rows, key: child, treeLength: treeLength)
    }

    func parent() -> (any RulesData)? {
        guard key.count > treeLength else { return nil }
        let bytes = key
        var (start, end) = (treeLength, treeLength)
        while end < bytes.count {
            start = end
            guard let next = try? PathEncoding.segmentEnd(in: bytes.span, from: end) else { return nil }
            end = next
        }
        return RuledNode(rows, key: Array(bytes[..<start]), treeLength: treeLength)
    }

    func value() throws(TreeError) -> RulesScalar {
        if let knownValue { return knownValue }
        let value: RulesScalar
        if isKnownToExist != false, let leaf = try rows.value(for: key) {
            value = RulesScalar(try LeafEncoding.decode(leaf, ofRow: key))
        } else {
            value = try exists() ? .object : .null
        }
        knownValue = value
        isKnownToExist = value != .null
        return value
    }

    func exists() throws(TreeError) -> Bool {
        if let isKnownToExist { return isKnownToExist }
        let exists = try rows.hasLeaf(at: key)
        isKnownToExist = exists
        return exists
    }

    func priority() throws(TreeError) -> RulesScalar {
        let row = key + [PathEncoding.priorityTag]
        guard let leaf = try rows.value(for: row), try exists() else { return .null }
        return RulesScalar(try LeafEncoding.decode(leaf, ofRow: row))
    }

    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) throws(TreeError) {
        var rest = ByteRange.children(of: key)
        while let row = try rows.firstLeafKey(in: rest) {
            let child = Array(row[..<(try PathEncoding.segmentEnd(in: row.span, from: key.count))])
            let name = try PathEncoding.decode(child.span.extracting(droppingFirst: key.count))
            guard try body(name.string) else { return }
            rest = ByteRange(from: ByteRange.subtree(child).upper, upTo: rest.upper)
        }
    }
}

/// The node at a path that is not a valid path of the tree.
private final class NoNode: RulesData {
    private let above: any RulesData

    init(below above: any RulesData) { self.above = above }

    func child(_ path: String) -> any RulesData { NoNode(below: self) }
    func parent() -> (any RulesData)? { above }
    func value() -> RulesScalar { .null }
    func priority() -> RulesScalar { .null }
    func forEachChildKey(_ body: (String) throws(TreeError) -> Bool) {}
}
