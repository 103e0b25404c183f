extension TreeQuery {
    /// An end of the range of a query: a value, and a key among the children that have it.
    ///
    /// As the lower end it is startAt, or startAfter without ``isInclusive``; as the upper end endAt, or endBefore. With
    /// no key, startAt takes the value's first child, startAfter goes on after the last one, and so on.
    public struct Bound: Hashable, Sendable {
        /// The key that stands before all keys, as clients send it.
        public static let firstKey = "[MIN_NAME]"
        /// The key that stands after all keys, as clients send it.
        public static let lastKey = "[MAX_NAME]"

        /// One value for each that the query orders by, nil for null; fewer mean all children that begin so.
        ///
        /// Of an order by key it is the key, as a string.
        public var values: [TreeValue?]
        /// A key among the children with these values; it need not be there.
        public var key: String?
        /// Whether the child at the end itself is in the range.
        public var isInclusive: Bool
        /// Whether the values are meant for an order by several children.
        private(set) var isList = false

        /// Makes an end at a value.
        public init(_ value: TreeValue?, key: String? = nil, isInclusive: Bool = true) {
            self.init(values: [value], key: key, isInclusive: isInclusive)
            isList = false
        }

        /// Makes an end at several values, of an order by several children.
        public init(values: [TreeValue?], key: String? = nil, isInclusive: Bool = true) {
            self.values = values
            self.key = key
            self.isInclusive = isInclusive
            isList = true
        }
    }
}

extension TreeQuery.Bound {
    /// Where the range of ordered bytes begins, or where it ends.
    func position(in order: ChildOrder, isLower: Bool) throws(TreeError) -> [UInt8] {
        var bytes: [UInt8] = []
        var key = key
        guard !isList || order.valueCount > 1 else {
            throw TreeQuery.invalid("Constraint index field must be a JSON primitive")
        }
        if order == .key {
            guard case .string(let name)? = values.first, key == nil else {
                throw TreeQuery.invalid("Provided key index type is invalid, must be string")
            }
            key = name
        } else {
            guard (key == nil ? 1 : order.valueCount)...order.valueCount ~= values.count else {
                throw TreeQuery.invalid("a bound has \(values.count) values, the query orders by \(order.valueCount)")
            }
            for value in values { try Self.append(value, to: &bytes) }
        }
        switch key {
        case nil: return isLower == isInclusive ? bytes : bytes.afterAllBelow
        case Self.firstKey: return bytes
        case Self.lastKey: return bytes.afterAllBelow
        case .some(let key):
            PathEncoding.append(utf8: key.utf8.span, to: &bytes)
            return isLower == isInclusive ? bytes : bytes.afterAllBelow
        }
    }

    private static func append(_ value: TreeValue?, to bytes: inout [UInt8]) throws(TreeError) {
        guard let value else { return OrderedValue.appendNull(to: &bytes) }
        guard let leaf = LeafEncoding.encode(try value.normalised() ?? value) else {
            throw TreeQuery.invalid("Constraint index field must be a JSON primitive")
        }
        try OrderedValue.append(leaf: leaf.span, to: &bytes)
    }
}

extension [UInt8] {
    /// The position after everything that begins with these bytes.
    fileprivate var afterAllBelow: [UInt8] { self + [PathEncoding.subtreeEnd] }
}
