package import TreeModel

extension RulesQuery {
    /// Creates the view that rules have of a query of the tree. For an order by several children, they see the first
    /// one.
    package init(_ query: TreeQuery) {
        let order: Order =
            switch query.order {
            case .key: .key
            case .value: .value
            case .priority: .priority
            case .children(let paths): .child((paths.first?.keys ?? []).map(\.string).joined(separator: "/"))
            }
        self.init(order: order)
        let (lower, upper) = (query.lower?.values.first ?? nil, query.upper?.values.first ?? nil)
        if let bound = query.lower, bound == query.upper, bound.isInclusive {
            equalTo = RulesScalar(lower)
        } else {
            startAt = RulesScalar(lower)
            endAt = RulesScalar(upper)
        }
        switch query.limit {
        case .first(let count)?: limitToFirst = count
        case .last(let count)?: limitToLast = count
        case nil: break
        }
    }
}

extension RulesScalar {
    /// Creates the view that rules have of a value; nil stands for none.
    package init(_ value: TreeValue?) {
        self =
            switch value {
            case nil: .null
            case .bool(let bool)?: .bool(bool)
            case .integer(let integer)?: .number(Double(integer))
            case .double(let double)?: .number(double)
            case .string(let string)?: .string(string)
            case .object?: .object
            }
    }
}
