import CSystemCrypto

/// Computes the hash of a node as clients of Realtime Databases compute it. A transaction names the hash of the value
/// that it is based on; a listener names the hash of its cached value.
///
/// It is the SHA-1 (FIPS 180-4), in base64, of a text. For a leaf, the text is `number:` and the 16 hexadecimal digits
/// of the double, `string:` and the string, or `boolean:` and the word; for an object, `:KEY:HASH` for each child,
/// ordered by priority, then by key. If the node has a priority, the text begins with `priority:`, the priority in the
/// same form, and `:`. The hash of a missing node is empty. (`LeafNode.hash` and `ChildrenNode.hash` of the vendor's
/// clients.)
///
/// Rows, including those of priorities, are added in key order.
struct NodeHashBuilder: ~Copyable {
    private struct Child {
        /// The key, in UTF-8.
        let key: [UInt8]
        let priority: [UInt8]?
        let hash: [UInt8]
    }

    /// A node whose rows are being added.
    private struct Level {
        /// The offset of the end of the node's segment in the paths of its rows; 0 for the top.
        let end: Int
        let key: [UInt8]
        var leaf: [UInt8]?
        var priority: [UInt8]?
        var children: [Child] = []
    }

    private let context: OpaquePointer?
    private var levels = [Level(end: 0, key: [])]
    private var lastPath: [UInt8] = []

    init() { context = EVP_MD_CTX_new() }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds a row by its path below the top of the subtree.
    mutating func add(path: Span<UInt8>, value: Span<UInt8>) throws(TreeError) {
        let isPriority = path.count > 0 && path[path.count - 1] == PathEncoding.priorityTag
        let node = isPriority ? path.extracting(droppingLast: 1) : path
        let common = node.commonPrefixLength(with: lastPath.span)
        while let level = levels.last, level.end > common { try closeLevel() }
        var start = levels.last?.end ?? 0
        while start < node.count {
            let end = try PathEncoding.segmentEnd(in: node, from: start)
            let key = try PathEncoding.decode(node.extracting(start..<end))
            levels.append(Level(end: end, key: Array(key.string.utf8)))
            start = end
        }
        if isPriority {
            levels[levels.count - 1].priority = value.copied
        } else {
            levels[levels.count - 1].leaf = value.copied
        }
        lastPath = node.copied
    }

    /// Returns the hash of the added rows; empty if there were none. The builder must not be used afterwards.
    mutating func finish() throws(TreeError) -> String {
        while levels.count > 1 { try closeLevel() }
        return String(decoding: try hash(of: levels[0]), as: UTF8.self)
    }

    private mutating func closeLevel() throws(TreeError) {
        guard levels.count > 1, let level = levels.popLast() else { return }
        let hash = try hash(of: level)
        guard !hash.isEmpty else { return }
        levels[levels.count - 1].children.append(Child(key: level.key, priority: level.priority, hash: hash))
    }

    private func hash(of level: Level) throws(TreeError) -> [UInt8] {
        guard level.leaf != nil || !level.children.isEmpty else { return [] }
        var text: [UInt8] = []
        if let priority = level.priority {
            text.append(contentsOf: "priority:".utf8)
            try Self.append(priority, to: &text)
            text.append(UInt8(ascii: ":"))
        }
        if let leaf = level.leaf {
            try Self.append(leaf, to: &text)
        } else {
            for child in try Self.ordered(level.children) {
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: child.key)
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: child.hash)
            }
        }
        return digest(of: text)
    }

    /// Returns children in hash order. They are given in key order, and mostly have no priorities.
    private static func ordered(_ children: [Child]) throws(TreeError) -> [Child] {
        guard children.contains(where: { $0.priority != nil }) else { return children }
        var ordered: [(order: [UInt8], index: Int)] = []
        for (index, child) in children.enumerated() {
            var order: [UInt8] = []
            if let priority = child.priority {
                try OrderedValue.append(leaf: priority.span, to: &order)
            } else {
                OrderedValue.appendNull(to: &order)
            }
            ordered.append((order, index))
        }
        ordered.sort { $0.order == $1.order ? $0.index < $1.index : $0.order.span.precedes($1.order.span) }
        return ordered.map { children[$0.index] }
    }

    private static func append(_ leaf: [UInt8], to text: inout [UInt8]) throws(TreeError) {
        let value = try LeafEncoding.decode(leaf.span)
        switch value {
        case .bool(let bool): text.append(contentsOf: (bool ? "boolean:true" : "boolean:false").utf8)
        case .string(let string):
            text.append(contentsOf: "string:".utf8)
            text.append(contentsOf: string.utf8)
        case .integer, .double:
            let bits = (value.doubleValue ?? 0).bitPattern
            let digits = String(bits, radix: 16)
            text.append(contentsOf: "number:".utf8)
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 16 - digits.utf8.count))
            text.append(contentsOf: digits.utf8)
        case .object: throw TreeError.corrupt("a leaf in the store is an object")
        }
    }

    private func digest(of text: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        EVP_DigestInit_ex(context, EVP_sha1(), nil)
        EVP_DigestUpdate(context, text, text.count)
        EVP_DigestFinal_ex(context, &digest, nil)
        // 4 characters for every 3 bytes, and the terminating zero.
        var base64 = [UInt8](repeating: 0, count: 29)
        EVP_EncodeBlock(&base64, digest, Int32(digest.count))
        return Array(base64.prefix(28))
    }
}

extension TreePath {
    /// The largest node that is hashed, in bytes of its rows; writers wait while a precondition's hash is computed.
    private static let maxHashedBytes = 16 << 20

    /// Returns the hash of the value at the path in a state of the store, including priorities, as clients compute it;
    /// empty if none exists.
    ///
    /// The cost is that of reading the whole value.
    ///
    /// - Throws: ``TreeError`` with code `too_large`, or the engine's failure.
    func nodeHash(in engine: any EngineSnapshot) throws(TreeError) -> String {
        let path = self
        let top = StoreFormat.dataKey(path)
        var builder = NodeHashBuilder()
        var byteCount = 0
        try engine.scan(.subtree(top), reverse: false) { key, leaf throws(TreeError) in
            byteCount += key.count - top.count + leaf.count
            guard byteCount <= Self.maxHashedBytes else {
                throw TreeError(
                    .tooLarge, "the value is too large to be compared by its hash", path: path,
                    hint: "Run the transaction at a deeper path.")
            }
            try builder.add(path: key.extracting(droppingFirst: top.count), value: leaf)
            return true
        }
        return try builder.finish()
    }
}

extension QueryWindow {
    /// Returns the hash of an object that has only the children in the window; empty if there are none.
    func nodeHash() throws(TreeError) -> String {
        var builder = NodeHashBuilder()
        if let leaf {
            try leaf.forEach { path, value throws(TreeError) in
                try builder.add(path: path, value: value)
                return true
            }
            return try builder.finish()
        }
        var segments: [(segment: [UInt8], rows: RowBlock)] = []
        for child in children {
            var segment: [UInt8] = []
            PathEncoding.append(child.key, to: &segment)
            segments.append((segment, child.rows))
        }
        for (segment, rows) in segments.sorted(by: { $0.segment.span.precedes($1.segment.span) }) {
            try rows.forEach { path, value throws(TreeError) in
                try builder.add(path: (segment + path.copied).span, value: value)
                return true
            }
        }
        return try builder.finish()
    }
}
