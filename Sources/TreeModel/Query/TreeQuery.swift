/// A query: a selection of a node's children, and their order.
///
/// Children are ordered by a value, then by key. Values compare as null < false < true < numbers < strings < objects;
/// missing values count as null. Strings are compared by their UTF-16 code units, up to their first 1,024 bytes;
/// numbers are compared as doubles.
///
/// (Realtime Database, "Retrieving data": orderBy, startAt, startAfter, endAt, endBefore, equalTo, limitToFirst and
/// limitToLast. The order by several children, and the descending order, are extensions.)
public struct TreeQuery: Hashable, Sendable {
    /// The order of the children.
    public enum Order: Hashable, Sendable {
        /// The order by key: 32-bit integers first, by number, then all other keys.
        case key
        /// The order by value.
        case value
        /// The order by priority, which is the default order of children.
        case priority
        /// The order by the values at these paths below the children: by the first, then by the second and so on.
        case children([TreePath])

        /// Returns the order by the values at one path below the children.
        public static func child(_ path: TreePath) -> Order { .children([path]) }
    }

    /// The largest number of children in the result, and the end of the range at which they are counted.
    public enum Limit: Hashable, Sendable {
        /// The first children in the query's order.
        case first(Int)
        /// The last children in the query's order.
        case last(Int)
    }

    /// The largest number of paths in an order by children.
    public static let maxOrderedChildren = 8
    /// The number of leading bytes of a string that are compared, in CESU-8, whose order is that of UTF-16.
    package static let maxComparedBytes = 1024

    /// The order of the children.
    public let order: Order
    /// The lower bound; nil to begin at the first child.
    public let lower: Bound?
    /// The upper bound; nil to end at the last child.
    public let upper: Bound?
    /// The limit of the result; nil for all children in the range.
    public let limit: Limit?
    /// Whether the result lists the last child first.
    ///
    /// This affects neither the range nor the limit.
    public let isDescending: Bool

    /// Creates a query.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query` for a bound that does not fit the order, for a limit below
    ///   one, and for an order by no paths or by more than ``maxOrderedChildren``.
    public init(
        order: Order = .priority, from lower: Bound? = nil, to upper: Bound? = nil, limit: Limit? = nil,
        isDescending: Bool = false
    ) throws(TreeError) {
        if case .first(..<1)? = limit { throw Self.invalid("limitToFirst must be a positive integer") }
        if case .last(..<1)? = limit { throw Self.invalid("limitToLast must be a positive integer") }
        self.order = order
        self.lower = lower
        self.upper = upper
        self.limit = limit
        self.isDescending = isDescending
        try order.check()
        try lower?.check(for: order)
        try upper?.check(for: order)
    }

    /// Creates a query for the children with one value, or with one value and one key.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    public init(
        order: Order = .priority, equalTo bound: Bound, limit: Limit? = nil, isDescending: Bool = false
    ) throws(TreeError) {
        var bound = bound
        bound.isInclusive = true
        try self.init(order: order, from: bound, to: bound, limit: limit, isDescending: isDescending)
    }

    package static func invalid(_ message: String) -> TreeError {
        TreeError(.invalidQuery, message, hint: "See the queries of Realtime Databases.")
    }
}

extension TreeQuery.Order {
    /// The number of values that precede the key in the order; 0 if children are ordered by key alone.
    package var valueCount: Int {
        switch self {
        case .key: 0
        case .value, .priority: 1
        case .children(let paths): paths.count
        }
    }

    /// Checks that the order has a permitted number of paths, and that none of them is the root path.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    package func check() throws(TreeError) {
        guard case .children(let paths) = self else { return }
        guard (1...TreeQuery.maxOrderedChildren).contains(paths.count), !paths.contains(where: \.isRoot) else {
            throw TreeQuery.invalid("orderBy must be a valid JSON encoded path")
        }
    }
}
