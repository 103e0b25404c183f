/// Builds a value from the rows of a subtree, without priorities.
///
/// Rows are added in key order, ascending or descending, so that the rows of every object are adjacent. One open object
/// per level is therefore enough, and each key is decoded once.
struct ValueBuilder {
    private struct OpenObject {
        let key: TreeKey
        /// The offset of the end of the key's segment in the paths of the rows.
        let end: Int
        var children: [TreeKey: TreeValue] = [:]
    }

    private var leafAtTop: TreeValue?
    private var children: [TreeKey: TreeValue] = [:]
    private var open: [OpenObject] = []
    /// The path of the last row, relative to the subtree.
    private var lastPath: [UInt8] = []

    /// Adds a row by its path below the top of the subtree; the empty path is a leaf at the top itself.
    mutating func add(path: Span<UInt8>, leaf: Span<UInt8>) throws(TreeError) {
        guard path.isEmpty || path[path.count - 1] != PathEncoding.priorityTag else { return }
        let value = try LeafEncoding.decode(leaf)
        guard path.count > 0 else { return leafAtTop = value }
        closeObjects(notOn: path)
        var start = open.last?.end ?? 0
        var end = try PathEncoding.segmentEnd(in: path, from: start)
        while end < path.count {
            open.append(OpenObject(key: try PathEncoding.decode(path.extracting(start..<end)), end: end))
            start = end
            end = try PathEncoding.segmentEnd(in: path, from: start)
        }
        setInInnermost(try PathEncoding.decode(path.extracting(start..<end)), value)
        lastPath = path.copied
    }

    /// Returns the value of the added rows; nil if there were none.
    ///
    /// The builder is empty afterwards.
    mutating func finish() -> TreeValue? {
        while !open.isEmpty { closeInnermost() }
        defer { self = ValueBuilder() }
        return leafAtTop ?? (children.isEmpty ? nil : .object(children))
    }

    private mutating func closeObjects(notOn path: Span<UInt8>) {
        guard !open.isEmpty else { return }
        let common = path.commonPrefixLength(with: lastPath.span)
        while let innermost = open.last, innermost.end > common { closeInnermost() }
    }

    private mutating func closeInnermost() {
        guard let closed = open.popLast() else { return }
        setInInnermost(closed.key, .object(closed.children))
    }

    private mutating func setInInnermost(_ key: TreeKey, _ value: TreeValue) {
        if open.isEmpty {
            children[key] = value
        } else {
            open[open.count - 1].children[key] = value
        }
    }
}
