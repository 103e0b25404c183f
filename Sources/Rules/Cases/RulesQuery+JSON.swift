package import TreeModel

extension RulesQuery {
    /// Reads a query as an object: `{"orderBy": "timestamp", "startAt": 5, "limitToLast": 10}`.
    ///
    /// - Throws: ``TreeError`` with code `invalid_query`.
    package init(json: JSONValue) throws(TreeError) {
        guard case .object(let members) = json else { throw TreeQuery.invalid("a query must be an object") }
        var limit: TreeQuery.Limit?
        var (lower, upper, equal): (TreeQuery.Bound?, TreeQuery.Bound?, TreeQuery.Bound?)
        for (name, value) in members {
            switch name {
            case "orderBy": continue
            case "startAt": lower = TreeQuery.Bound(try Self.scalar(value))
            case "startAfter": lower = TreeQuery.Bound(try Self.scalar(value), isInclusive: false)
            case "endAt": upper = TreeQuery.Bound(try Self.scalar(value))
            case "endBefore": upper = TreeQuery.Bound(try Self.scalar(value), isInclusive: false)
            case "equalTo": equal = TreeQuery.Bound(try Self.scalar(value))
            case "limitToFirst": limit = .first(value.integer ?? 0)
            case "limitToLast": limit = .last(value.integer ?? 0)
            default: throw TreeQuery.invalid("a query has no \"\(name)\"")
            }
        }
        for names in [["limitToFirst", "limitToLast"], ["startAt", "startAfter"], ["endAt", "endBefore"]] {
            guard names.filter({ members[$0] != nil }).count < 2 else {
                throw TreeQuery.invalid("a query has only one of \(names.joined(separator: " and "))")
            }
        }
        let order = try Self.order(members["orderBy"])
        if let equal {
            guard lower == nil, upper == nil else { throw TreeQuery.invalid("equalTo excludes other bounds") }
            self.init(try TreeQuery(order: order, equalTo: equal, limit: limit))
        } else {
            self.init(try TreeQuery(order: order, from: lower, to: upper, limit: limit))
        }
    }

    private static func order(_ json: JSONValue?) throws(TreeError) -> TreeQuery.Order {
        switch json {
        case "$key"?: return .key
        case "$value"?: return .value
        case "$priority"?: return .priority
        case .string(let path)?: return .child(try TreePath(path))
        default: throw TreeQuery.invalid("orderBy must be \"$key\", \"$value\", \"$priority\" or the path of a child")
        }
    }

    private static func scalar(_ json: JSONValue) throws(TreeError) -> TreeValue? {
        switch json {
        case .null: return nil
        case .bool(let bool): return .bool(bool)
        case .integer(let integer): return .integer(Int64(integer))
        case .double(let double): return .double(double)
        case .string(let string): return .string(string)
        case .list, .object: throw TreeQuery.invalid("a bound of a query must be a scalar")
        }
    }
}
