extension TreeQuery.Order {
    /// Parses an `orderBy` parameter: a JSON string, `"$key"`, `"$value"`, `"$priority"` or a path.
    ///
    /// Extension: a JSON list of paths.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    public init(json text: String) throws(TreeError) {
        let complaint = "orderBy must be a valid JSON encoded path"
        guard let items = JSONItems(text), items.list.count == 1 else { throw TreeQuery.invalid(complaint) }
        switch items.list[0] {
        case .scalar(.string("$key")): self = .key
        case .scalar(.string("$value")): self = .value
        case .scalar(.string("$priority")): self = .priority
        case .scalar(let path): self = .children([try Self.path(path, complaint)])
        case .list(let elements):
            var paths: [TreePath] = []
            for element in elements { paths.append(try Self.path(element, complaint)) }
            self = .children(paths)
        }
        try check()
    }

    private static func path(_ value: TreeValue?, _ complaint: String) throws(TreeError) -> TreePath {
        guard case .string(let string)? = value, let path = try? TreePath(string), !path.isRoot else {
            throw TreeQuery.invalid(complaint)
        }
        return path
    }
}

extension TreeQuery.Bound {
    /// Parses a `startAt`, `startAfter`, `endAt`, `endBefore` or `equalTo` parameter.
    ///
    /// It is a JSON scalar, optionally followed by a key: `5`, `"a"`, `true`, `null`, `"a","key"`. Extension: for an
    /// order by several children it is a list, `["u1",5]`, or the beginning of one.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    public init(json text: String, isInclusive: Bool = true) throws(TreeError) {
        let complaint = "Constraint index field must be a JSON primitive"
        guard let items = JSONItems(text), (1...2).contains(items.list.count) else {
            throw TreeQuery.invalid(complaint)
        }
        var key: String?
        if items.list.count == 2 {
            guard case .scalar(.string(let name)?) = items.list[1] else { throw TreeQuery.invalid(complaint) }
            key = name
        }
        switch items.list[0] {
        case .scalar(let value): self.init(value, key: key, isInclusive: isInclusive)
        case .list(let values): self.init(values: values, key: key, isInclusive: isInclusive)
        }
    }
}

/// The items of a query parameter: scalars and lists of scalars, separated by commas.
private struct JSONItems: JSONSink {
    enum Item {
        case scalar(TreeValue?)
        case list([TreeValue?])
    }

    private(set) var list: [Item] = []
    private var level = 0
    private var inner: [TreeValue?] = []

    private init() {}

    /// Parses the text; nil for any other content.
    init?(_ text: String) {
        var tokenizer = JSONTokenizer(JSONItems())
        let bytes = [UInt8(ascii: "[")] + Array(text.utf8) + [UInt8(ascii: "]")]
        do {
            try tokenizer.feed(bytes.span)
            try tokenizer.finish()
        } catch {
            return nil
        }
        self = tokenizer.sink
    }

    private static var notAScalar: TreeError { TreeQuery.invalid("not a scalar") }

    mutating func beginArray() throws(TreeError) {
        level += 1
        guard level <= 2 else { throw Self.notAScalar }
        inner = []
    }

    mutating func endArray() {
        level -= 1
        if level == 1 { list.append(.list(inner)) }
    }

    private mutating func add(_ value: TreeValue?) {
        if level == 2 { inner.append(value) } else { list.append(.scalar(value)) }
    }

    mutating func beginObject() throws(TreeError) { throw Self.notAScalar }
    mutating func key(_ utf8: Span<UInt8>) throws(TreeError) { throw Self.notAScalar }
    mutating func endObject() throws(TreeError) { throw Self.notAScalar }
    mutating func string(_ utf8: Span<UInt8>) { add(.string(utf8.text)) }
    mutating func bool(_ bool: Bool) { add(.bool(bool)) }
    mutating func null() { add(nil) }

    mutating func number(_ number: JSONNumber) {
        switch number {
        case .integer(let integer): add(.integer(integer))
        case .double(let double): add(.double(double))
        }
    }
}
