extension TreeQuery {
    /// An end of the range of a query: a value, and a key among the children that have it.
    ///
    /// As the lower end it is startAt, or startAfter without ``isInclusive``; as the upper end endAt, or endBefore.
    /// With no key, startAt takes the value's first child, startAfter goes on after the last one, and so on.
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
        package private(set) var isList = false

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
    /// Checks that the bound goes with an order.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`, or `too_large` for a string that no store holds.
    func check(for order: TreeQuery.Order) throws(TreeError) {
        let count = order.valueCount
        guard !isList || count > 1 else { throw Self.notAScalar }
        guard order != .key else {
            guard case .string? = values.first, key == nil else {
                throw TreeQuery.invalid("Provided key index type is invalid, must be string")
            }
            return
        }
        guard (key == nil ? 1 : count)...count ~= values.count else {
            throw TreeQuery.invalid("a bound has \(values.count) values, the query orders by \(count)")
        }
        for value in values {
            guard let value else { continue }
            if case .object = try value.normalised() ?? value { throw Self.notAScalar }
        }
    }

    private static var notAScalar: TreeError {
        TreeQuery.invalid("Constraint index field must be a JSON primitive")
    }
}
