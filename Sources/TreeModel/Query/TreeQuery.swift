/// Which children of a node to take, and in which order.
///
/// Children are ordered by a value, then by key. Values compare as null < false < true < numbers < strings < objects;
/// what is missing counts as null. Strings compare by their UTF-16 code units, the first 1,024 bytes of them; numbers
/// as doubles.
///
/// (Realtime Database, "Retrieving data": orderBy, startAt, startAfter, endAt, endBefore, equalTo, limitToFirst and
/// limitToLast. The order by several children, and the descending order, are extensions.)
public struct TreeQuery: Hashable, Sendable {
    /// The order of the children.
    public enum Order: Hashable, Sendable {
        /// Their keys: 32-bit integers first, by number, then all others.
        case key
        /// Their values.
        case value
        /// Their priorities: the order that children have by default.
        case priority
        /// The values at these paths below them: by the first, then by the second and so on.
        case children([TreePath])

        /// The values at one path below them.
        public static func child(_ path: TreePath) -> Order { .children([path]) }
    }

    /// The number of children that are taken from the range, and the end from which they are.
    public enum Limit: Hashable, Sendable {
        /// The first ones in the query's order.
        case first(Int)
        /// The last ones in the query's order.
        case last(Int)
    }

    /// The most children by which a query can order.
    public static let maxOrderedChildren = 8
    /// The number of bytes of a string that count in the order of values, in CESU-8, whose order is that of UTF-16.
    package static let maxComparedBytes = 1024

    /// The order of the children.
    public let order: Order
    /// The beginning of the range; nil for the first child.
    public let lower: Bound?
    /// The end of the range; nil for the last child.
    public let upper: Bound?
    /// The number of children to take; nil for all.
    public let limit: Limit?
    /// Whether the answer lists the last child first.
    ///
    /// It changes neither the range nor the limit.
    public let isDescending: Bool

    /// Makes a query.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query` for a bound that does not go with the order, for a limit below
    ///   one, and for an order by no child or more than ``maxOrderedChildren``.
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

    /// Makes a query for the children that have one value, or one value and one key.
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
        TreeError(.invalidQuery, message, hint: "see the queries of Realtime Databases")
    }
}

extension TreeQuery.Order {
    /// The number of values that come before the key; none where the key alone orders.
    package var valueCount: Int {
        switch self {
        case .key: 0
        case .value, .priority: 1
        case .children(let paths): paths.count
        }
    }

    /// Checks that the order is by no too many children, and by none that is the node itself.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    package func check() throws(TreeError) {
        guard case .children(let paths) = self else { return }
        guard (1...TreeQuery.maxOrderedChildren).contains(paths.count), !paths.contains(where: \.isRoot) else {
            throw TreeQuery.invalid("orderBy must be a valid JSON encoded path")
        }
    }
}
