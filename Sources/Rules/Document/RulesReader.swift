import TreeModel

/// Converts the tokens of a rules document to nodes.
struct RulesReader: JSONSink {
    /// The role of the next value.
    private enum Role: Equatable {
        case document, node
        /// The value of `.read`, `.write` or `.validate`.
        case rule(Rule.Kind)
        /// The values of `.indexOn`, the elements of its lists, and the value of `.ttl`.
        case indexes, index, composite, timeToLive
    }

    /// The largest number of indexes and times to live: each write checks all of them.
    private static let maxKept = 1000
    /// The longest time to live, in seconds: about three hundred years.
    private static let maxTimeToLiveSeconds = 1e10

    /// The rules; complete once the text has ended.
    private(set) var root = RulesNode(RulesNodeDraft(name: ""))
    private var source: RulesText
    /// The number of strings read so far, including keys.
    private var stringCount = 0
    /// The offset of the fault in the document, if it differs from that of the last token.
    private var faultOffset: Int?
    /// The offset of the last key.
    private var keyOffset = 0
    private var role = Role.document
    private var hasRules = false
    /// The open nodes, the top one first.
    private var drafts: [RulesNodeDraft] = []
    /// The name of the next node.
    private var next = ""
    private var composite: [String] = []
    private var keptCount = 0

    /// Whether a rule that does not compile counts as never true, instead of causing a failure.
    private let isLenient: Bool

    init(_ source: RulesText, isLenient: Bool = false) {
        self.source = source
        self.isLenient = isLenient
    }

    /// Returns a failure with its position in the document.
    mutating func placed(_ error: TreeError, at offset: Int) -> TreeError {
        source.invalid(error.message, at: faultOffset ?? offset)
    }

    /// The offset of the last string.
    private var stringOffset: Int {
        source.stringOffsets.indices.contains(stringCount - 1) ? source.stringOffsets[stringCount - 1] : 0
    }

    // MARK: Objects

    mutating func beginObject() throws(TreeError) {
        switch role {
        case .document:
            return
        case .node:
            guard drafts.count <= TreePath.maxDepth else {
                throw Self.invalid("the rules are more than \(TreePath.maxDepth) keys deep")
            }
            drafts.append(RulesNodeDraft(name: next))
        default: throw unexpected("an object")
        }
    }

    mutating func key(_ utf8: Span<UInt8>) throws(TreeError) {
        stringCount += 1
        keyOffset = stringOffset
        let name = utf8.text
        guard let last = drafts.indices.last else {
            guard name == "rules", !hasRules else { throw Self.notRules }
            hasRules = true
            next = ""
            return role = .node
        }
        guard drafts[last].keys.insert(TreeKey(unchecked: name)).inserted else {
            throw Self.invalid("the key \"\(name)\" is there twice in one object")
        }
        switch utf8.isEmpty ? 0 : utf8[0] {
        case UInt8(ascii: "."): return role = try Self.role(of: name)
        case UInt8(ascii: "$"): try checkWildcard(name, in: drafts[last])
        default: if let complaint = TreeKey.complaint(about: utf8) { throw Self.invalid(complaint) }
        }
        next = name
        role = .node
    }

    private static func role(of name: String) throws(TreeError) -> Role {
        switch name {
        case ".indexOn": return .indexes
        case ".ttl": return .timeToLive
        default:
            guard let kind = Rule.Kind(rawValue: name) else { throw invalid("unknown rule \"\(name)\"") }
            return .rule(kind)
        }
    }

    private func checkWildcard(_ name: String, in draft: RulesNodeDraft) throws(TreeError) {
        guard name.utf8.count > 1 else { throw Self.invalid("a wildcard has a name after the \"$\"") }
        guard draft.wildcard == nil else { throw Self.invalid("a node has at most one wildcard") }
        guard !drafts.contains(where: { $0.name.hasSameBytes(as: name) }) else {
            throw Self.invalid("the wildcard \"\(name)\" is there twice on one path")
        }
    }

    mutating func endObject() throws(TreeError) {
        guard let closed = drafts.popLast() else {
            guard hasRules else { throw Self.notRules }
            return
        }
        let node = RulesNode(closed)
        guard let last = drafts.indices.last else { return root = node }
        if node.name.utf8.first == UInt8(ascii: "$") {
            drafts[last].wildcard = node
        } else {
            drafts[last].children[TreeKey(unchecked: node.name)] = node
        }
    }

    // MARK: Rules

    mutating func string(_ utf8: Span<UInt8>) throws(TreeError) {
        stringCount += 1
        switch role {
        case .rule(let kind): try addRule(kind, utf8.text)
        case .indexes, .index: try addIndex([utf8.text])
        case .composite: composite.append(utf8.text)
        default: throw unexpected("a string")
        }
    }

    mutating func bool(_ bool: Bool) throws(TreeError) {
        guard case .rule(let kind) = role else { throw unexpected("true or false") }
        try addRule(kind, bool ? "true" : "false")
    }

    private mutating func addRule(_ kind: Rule.Kind, _ text: String) throws(TreeError) {
        guard let last = drafts.indices.last else { return }
        let valueOffset = stringOffset
        let (line, column) = source.position(of: keyOffset)
        do throws(ExpressionError) {
            let program: Program
            do throws(ExpressionError) {
                program = try Compiler.compile(text, for: kind, with: variables)
            } catch {
                guard isLenient else { throw error }
                program = try Compiler.compile("false", for: kind, with: [:])
            }
            drafts[last].rules[kind] = Rule(kind: kind, text: text, line: line, column: column, program: program)
        } catch {
            faultOffset = source.offset(ofByte: error.offset, inStringAt: valueOffset)
            throw Self.invalid(error.message)
        }
    }

    /// The depths of the keys that `$names` stand for, by name.
    private var variables: [String: Int] {
        var variables: [String: Int] = [:]
        for (depth, draft) in drafts.enumerated() where draft.name.utf8.first == UInt8(ascii: "$") {
            variables[draft.name] = depth - 1
        }
        return variables
    }

    // MARK: Indexes and times to live

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

    private mutating func addIndex(_ names: [String]) throws(TreeError) {
        guard let last = drafts.indices.last else { return }
        let index = try RulesIndex(names)
        try countKept()
        if !drafts[last].indexes.contains(index) { drafts[last].indexes.append(index) }
    }

    mutating func number(_ number: JSONNumber) throws(TreeError) {
        guard role == .timeToLive, let last = drafts.indices.last else { throw unexpected("a number") }
        let seconds =
            switch number {
            case .integer(let integer): Double(integer)
            case .double(let double): double
            }
        guard seconds > 0, seconds <= Self.maxTimeToLiveSeconds else {
            throw Self.invalid(".ttl must be a positive number of seconds, at most 10000000000")
        }
        try countKept()
        drafts[last].timeToLiveMilliseconds = max(1, Int64(seconds * 1000))
    }

    private mutating func countKept() throws(TreeError) {
        keptCount += 1
        guard keptCount <= Self.maxKept else {
            throw Self.invalid("the rules have more than \(Self.maxKept) indexes and times to live")
        }
    }

    mutating func null() throws(TreeError) { throw unexpected("null") }
}

// MARK: Errors

extension RulesReader {
    private static func invalid(_ complaint: String) -> TreeError { TreeError(.invalidRules, complaint) }

    private static var notRules: TreeError { invalid("the document must be an object with the one key \"rules\"") }

    private func unexpected(_ found: String) -> TreeError {
        switch role {
        case .document: Self.notRules
        case .node: Self.invalid("\(found) where an object of rules should be")
        case .rule: Self.invalid("\(found) where a string, true or false should be")
        case .indexes, .index, .composite: Self.invalid("\(found) where .indexOn has a path, or a list of paths")
        case .timeToLive: Self.invalid("\(found) where .ttl has a number of seconds")
        }
    }
}

extension RulesIndex {
    /// Creates the index for a string, or a list of strings, in `.indexOn`.
    fileprivate init(_ names: [String]) throws(TreeError) {
        guard names != [".value"] else {
            self = .value
            return
        }
        var paths: [TreePath] = []
        for name in names {
            guard let path = try? TreePath(name), !path.isRoot else {
                let place = names.count == 1 ? "in .indexOn is no path of a child, nor \".value\"" : nil
                throw TreeError(
                    .invalidRules, "\"\(name)\" \(place ?? "in a list of .indexOn is no path of a child")")
            }
            paths.append(path)
        }
        guard (1...TreeQuery.maxOrderedChildren).contains(paths.count) else {
            throw TreeError(.invalidRules, "an index is of 1 to \(TreeQuery.maxOrderedChildren) children")
        }
        self = .children(paths)
    }
}
