/// Turns the tokens of a rules document into nodes.
struct RulesReader: JSONSink {
    /// The role of the value that comes next.
    private enum Role {
        case document, node
        /// The values of `.read`, `.write` and `.validate`; of `.indexOn` and what is in its lists; of `.ttl`.
        case expression, indexes, index, composite, timeToLive
    }

    private struct Frame {
        var node = RulesNode()
        /// The key of the node in the one above: nil for a wildcard, and for the top.
        var segment: [UInt8]?
        /// The name of the wildcard that the node is.
        var name: String?
        var keys: Set<[UInt8]> = []
    }

    /// The most indexes and times to live: each write looks at all of them.
    private static let maxKept = 1000
    /// The longest time to live, in seconds: some three hundred years.
    private static let maxTimeToLiveSeconds = 1e10

    /// The rules, once the text has ended.
    private(set) var root = RulesNode()
    private var role = Role.document
    private var hasRules = false
    /// The open nodes, the top one first.
    private var frames: [Frame] = []
    /// The segment or the name of the node that comes next.
    private var next: (segment: [UInt8]?, name: String?) = (nil, nil)
    private var composite: [String] = []
    private var keptCount = 0

    // MARK: Objects

    mutating func beginObject() throws(TreeError) {
        switch role {
        case .document:
            return
        case .node:
            guard frames.count <= TreePath.maxDepth else {
                throw Self.invalid("the rules are more than \(TreePath.maxDepth) keys deep")
            }
            frames.append(Frame(segment: next.segment, name: next.name))
        default: throw unexpected("an object")
        }
    }

    mutating func key(_ utf8: Span<UInt8>) throws(TreeError) {
        let name = utf8.text
        guard let last = frames.indices.last else {
            guard name == "rules", !hasRules else { throw Self.notRules }
            hasRules = true
            next = (nil, nil)
            return role = .node
        }
        guard frames[last].keys.insert(utf8.copied).inserted else {
            throw Self.invalid("the key \"\(name)\" is there twice in one object")
        }
        switch utf8.isEmpty ? 0 : utf8[0] {
        case UInt8(ascii: "."): role = try Self.role(of: name)
        case UInt8(ascii: "$"): try beginWildcard(name, in: frames[last])
        default: try beginChild(utf8)
        }
    }

    private static func role(of name: String) throws(TreeError) -> Role {
        switch name {
        case ".read", ".write", ".validate": .expression
        case ".indexOn": .indexes
        case ".ttl": .timeToLive
        default: throw invalid("unknown rule \"\(name)\"")
        }
    }

    private mutating func beginWildcard(_ name: String, in frame: Frame) throws(TreeError) {
        guard name.utf8.count > 1 else { throw Self.invalid("a wildcard has a name after the \"$\"") }
        guard frame.node.wildcard.isEmpty else { throw Self.invalid("a node has at most one wildcard") }
        guard !frames.contains(where: { $0.name == name }) else {
            throw Self.invalid("the wildcard \"\(name)\" is there twice on one path")
        }
        next = (nil, name)
        role = .node
    }

    private mutating func beginChild(_ utf8: Span<UInt8>) throws(TreeError) {
        if let complaint = TreeKey.complaint(about: utf8) { throw Self.invalid(complaint) }
        var segment: [UInt8] = []
        PathEncoding.append(utf8: utf8, to: &segment)
        next = (segment, nil)
        role = .node
    }

    mutating func endObject() throws(TreeError) {
        guard let closed = frames.popLast() else {
            guard hasRules else { throw Self.notRules }
            return
        }
        guard let last = frames.indices.last else { return root = closed.node }
        if let segment = closed.segment {
            frames[last].node.children[segment] = closed.node
        } else {
            frames[last].node.wildcard = [closed.node]
        }
    }

    // MARK: Rules

    mutating func beginArray() throws(TreeError) {
        switch role {
        case .indexes: role = .index
        case .index:
            composite = []
            role = .composite
        default: throw unexpected("a list")
        }
    }

    mutating func endArray() throws(TreeError) {
        guard role == .composite else { return }
        role = .index
        try addIndex(composite)
    }

    mutating func string(_ utf8: Span<UInt8>) throws(TreeError) {
        switch role {
        case .expression: return
        case .indexes, .index: try addIndex([utf8.text])
        case .composite: composite.append(utf8.text)
        default: throw unexpected("a string")
        }
    }

    private mutating func addIndex(_ names: [String]) throws(TreeError) {
        guard let last = frames.indices.last else { return }
        let order = try Self.order(names)
        try countKept()
        if !frames[last].node.indexes.contains(order) { frames[last].node.indexes.append(order) }
    }

    private static func order(_ names: [String]) throws(TreeError) -> ChildOrder {
        guard names != [".value"] else { return .value }
        var paths: [TreePath] = []
        for name in names {
            guard let path = try? TreePath(name), !path.isRoot else {
                throw invalid(
                    names.count == 1
                        ? "\"\(name)\" in .indexOn is no path of a child, nor \".value\""
                        : "\"\(name)\" in a list of .indexOn is no path of a child")
            }
            paths.append(path)
        }
        let order = TreeQuery.Order.children(paths)
        do {
            try order.check()
        } catch {
            throw invalid("an index is of 1 to \(TreeQuery.maxOrderedChildren) children")
        }
        return ChildOrder(order)
    }

    mutating func number(_ number: JSONNumber) throws(TreeError) {
        guard role == .timeToLive, let last = frames.indices.last else { throw unexpected("a number") }
        let seconds =
            switch number {
            case .integer(let integer): Double(integer)
            case .double(let double): double
            }
        guard seconds > 0, seconds <= Self.maxTimeToLiveSeconds else {
            throw Self.invalid(".ttl has to be a positive number of seconds, at most 10000000000")
        }
        try countKept()
        frames[last].node.timeToLiveMilliseconds = max(1, Int64(seconds * 1000))
    }

    private mutating func countKept() throws(TreeError) {
        keptCount += 1
        guard keptCount <= Self.maxKept else {
            throw Self.invalid("the rules have more than \(Self.maxKept) indexes and times to live")
        }
    }

    mutating func bool(_ bool: Bool) throws(TreeError) {
        guard role == .expression else { throw unexpected("true or false") }
    }

    mutating func null() throws(TreeError) { throw unexpected("null") }
}

// MARK: Complaints

extension RulesReader {
    private static func invalid(_ complaint: String) -> TreeError { TreeError(.invalidRules, complaint) }

    private static var notRules: TreeError { invalid("the document has to be an object with the one key \"rules\"") }

    private func unexpected(_ found: String) -> TreeError {
        switch role {
        case .document: Self.notRules
        case .node: Self.invalid("\(found) where an object of rules should be")
        case .expression: Self.invalid("\(found) where a string, true or false should be")
        case .indexes, .index, .composite: Self.invalid("\(found) where .indexOn has a path, or a list of paths")
        case .timeToLive: Self.invalid("\(found) where .ttl has a number of seconds")
        }
    }
}
