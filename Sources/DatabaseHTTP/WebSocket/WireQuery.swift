import Access
import Tree
import TreeModel

extension TreeQuery {
    /// Parses the query of a message: `i` is the index; `sp`, `sn`, `sin` and `ep`, `en`, `ein` are the bounds with
    /// their keys; `l` and `vf` are the limit.
    ///
    /// - Returns: Nil for a query that selects the whole node.
    /// - Throws: ``TreeError`` with code `invalid_query`.
    static func wire(_ query: JSONValue?) throws(TreeError) -> TreeQuery? {
        guard let query, query != .null else { return nil }
        guard case .object = query else { throw .invalidQuery("a query is an object") }
        let order = try order(query["i"])
        let lower = try bound(query["sp"], key: query["sn"], isInclusive: query["sin"], in: order)
        let upper = try bound(query["ep"], key: query["en"], isInclusive: query["ein"], in: order)
        let limit = try limit(query["l"], side: query["vf"], hasLower: lower != nil)
        guard lower != nil || upper != nil || limit != nil else { return nil }
        return try TreeQuery(order: order, from: lower, to: upper, limit: limit, isDescending: false)
    }

    private static func order(_ index: JSONValue?) throws(TreeError) -> Order {
        switch index {
        case nil, .string(".priority"): return .priority
        case .string(".key"): return .key
        case .string(".value"): return .value
        case .string(let text):
            let path = try TreePath(text)
            guard !path.isRoot else { throw .invalidQuery("an index is a path below the children") }
            return .children([path])
        default: throw .invalidQuery("an index is a text")
        }
    }

    private static func bound(
        _ value: JSONValue?, key: JSONValue?, isInclusive: JSONValue?, in order: Order
    ) throws(TreeError) -> Bound? {
        guard let value else { return nil }
        guard [nil, .bool(true), .bool(false)].contains(isInclusive), key == nil || key?.string != nil else {
            throw .invalidQuery("a bound has a key that is a text")
        }
        let scalar: TreeValue? =
            switch value {
            case .null: nil
            case .bool(let bool): .bool(bool)
            case .integer(let integer): .integer(Int64(integer))
            case .double(let double): .double(double)
            case .string(let string): .string(string)
            case .list, .object: throw .invalidQuery("a bound is neither a list nor an object")
            }
        // A key occurs only once among keys.
        return Bound(scalar, key: order == .key ? nil : key?.string, isInclusive: isInclusive != .bool(false))
    }

    private static func limit(
        _ count: JSONValue?, side: JSONValue?, hasLower: Bool
    ) throws(TreeError) -> Limit? {
        guard let count else { return nil }
        guard let count = count.integer, let limit = Int32(exactly: count), limit > 0 else {
            throw .invalidQuery("a limit is a positive number")
        }
        switch side {
        case .string("l"): return .first(Int(limit))
        case .string("r"): return .last(Int(limit))
        case nil: return hasLower ? .first(Int(limit)) : .last(Int(limit))
        default: throw .invalidQuery("a limit is at the side l or r")
        }
    }
}

extension TreeError {
    fileprivate static func invalidQuery(_ complaint: String) -> TreeError { TreeError(.invalidQuery, complaint) }
}
