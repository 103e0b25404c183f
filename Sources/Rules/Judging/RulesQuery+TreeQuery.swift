package import TreeModel

extension RulesQuery {
    /// The query as rules see it. Of an order by several children they see the first one.
    package init(_ query: TreeQuery) {
        let order: Order =
            switch query.order {
            case .key: .key
            case .value: .value
            case .priority: .priority
            case .children(let paths): .child(paths.first?.keys.map(\.string).joined(separator: "/") ?? "")
            }
        self.init(order: order)
        startAt = RulesScalar(query.lower?.values.first ?? nil)
        endAt = RulesScalar(query.upper?.values.first ?? nil)
        if let lower = query.lower, lower == query.upper, lower.isInclusive { equalTo = startAt }
        switch query.limit {
        case nil: break
        case .first(let limit): limitToFirst = limit
        case .last(let limit): limitToLast = limit
        }
    }
}

extension RulesScalar {
    /// What rules can tell of a value.
    package init(_ value: TreeValue?) {
        self =
            switch value {
            case nil: .null
            case .bool(let bool): .bool(bool)
            case .integer(let integer): .number(Double(integer))
            case .double(let double): .number(double)
            case .string(let string): .string(string)
            case .object: .object
            }
    }
}
