/// The query of a read: the variable `query`.
package struct RulesQuery: Sendable {
    /// The order of the children.
    package enum Order: Hashable, Sendable {
        case key, value, priority
        /// The path of a child, with `/` between its keys.
        case child(String)
    }

    /// The query of a read without a query: the order by key, and everything.
    package static let none = RulesQuery(order: .key)

    package var order: Order
    package var startAt: RulesScalar
    package var endAt: RulesScalar
    package var equalTo: RulesScalar
    package var limitToFirst: Int?
    package var limitToLast: Int?

    package init(
        order: Order, startAt: RulesScalar = .null, endAt: RulesScalar = .null, equalTo: RulesScalar = .null,
        limitToFirst: Int? = nil, limitToLast: Int? = nil
    ) {
        self.order = order
        self.startAt = startAt
        self.endAt = endAt
        self.equalTo = equalTo
        self.limitToFirst = limitToFirst
        self.limitToLast = limitToLast
    }
}
