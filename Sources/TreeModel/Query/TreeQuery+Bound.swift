extension TreeQuery {
    /// A bound of a query's range: a value, and a key among the children with this value.
    ///
    /// As the lower bound it is startAt, or startAfter if it is not ``isInclusive``; as the upper bound endAt, or
    /// endBefore. Without a key, startAt includes all children with the value, startAfter begins after the last of
    /// them, and so on.
    public struct Bound: Hashable, Sendable {
        /// The key that sorts before all keys, as clients send it.
        public static let firstKey = "[MIN_NAME]"
        /// The key that sorts after all keys, as clients send it.
        public static let lastKey = "[MAX_NAME]"

        /// The values for the order of the query, one for each, nil for null. If there are fewer, the bound is at all
        /// children whose values begin with these.
        ///
        /// The key as a string, for an order by key.
        public var values: [TreeValue?]
        /// A key among the children with these values; such a child need not exist.
        public var key: String?
        /// Whether the child at the bound itself is in the range.
        public var isInclusive: Bool
        /// Whether the bound is meant for an order by several children.
        package private(set) var isList = false

        /// Creates a bound at a value.
        public init(_ value: TreeValue?, key: String? = nil, isInclusive: Bool = true) {
            self.init(values: [value], key: key, isInclusive: isInclusive)
            isList = false
        }

        /// Creates a bound at several values, for an order by several children.
        public init(values: [TreeValue?], key: String? = nil, isInclusive: Bool = true) {
            self.values = values
            self.key = key
            self.isInclusive = isInclusive
            isList = true
        }
    }
}

extension TreeQuery.Bound {
    /// Checks that the bound fits an order.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`, or `too_large` for a string longer than a store can hold.
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
