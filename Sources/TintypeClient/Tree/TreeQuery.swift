public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A choice of the children of a node, and their order.
///
///     TreeQuery(by: .child("begins")).starting(at: 1_795_251_415_385).first(20)
///
/// An order by value or child needs `.indexOn` in the rules of the service. Children with equal values are in the order
/// of their keys.
public struct TreeQuery: Hashable, Sendable {
    /// The value by which children are ordered: none < false < true < numbers < texts < objects.
    public enum Order: Hashable, Sendable {
        /// The key of the child.
        case key
        /// The value of the child.
        case value
        /// The value at a path below the child, such as `address/city`.
        case child(String)
    }

    struct Bound: Hashable, Sendable {
        var name: String
        var value: JSONValue
        var key: String?
    }

    struct Limit: Hashable, Sendable {
        var name: String
        var count: Int
    }

    /// The order.
    public let order: Order
    private(set) var bounds: [Bound] = []
    private(set) var limit: Limit?

    /// Creates a query of all children.
    public init(by order: Order = .key) { self.order = order }

    /// Returns the query of the children whose value is equal to another one.
    ///
    /// - Parameters:
    ///   - value: A text, a number, a Boolean or `null`; a key, as a text, in the order of keys.
    ///   - key: The key of the child; nil for all children with the value.
    public func equal(to value: JSONValue, key: String? = nil) -> TreeQuery { bounded("equalTo", value, key) }

    /// Returns the query of the children from a value on, or from a key among those with the value.
    public func starting(at value: JSONValue, key: String? = nil) -> TreeQuery { bounded("startAt", value, key) }

    /// Returns the query of the children behind a value, or behind a key among those with the value.
    public func starting(after value: JSONValue, key: String? = nil) -> TreeQuery { bounded("startAfter", value, key) }

    /// Returns the query of the children up to a value, or up to a key among those with the value.
    public func ending(at value: JSONValue, key: String? = nil) -> TreeQuery { bounded("endAt", value, key) }

    /// Returns the query of the children before a value, or before a key among those with the value.
    public func ending(before value: JSONValue, key: String? = nil) -> TreeQuery { bounded("endBefore", value, key) }

    /// Returns the query of the first children in the order.
    public func first(_ count: Int) -> TreeQuery { limited("limitToFirst", count) }

    /// Returns the query of the last children in the order.
    public func last(_ count: Int) -> TreeQuery { limited("limitToLast", count) }

    private func bounded(_ name: String, _ value: JSONValue, _ key: String?) -> TreeQuery {
        var query = self
        query.bounds.removeAll { $0.name == name }
        query.bounds.append(Bound(name: name, value: value, key: key))
        return query
    }

    private func limited(_ name: String, _ count: Int) -> TreeQuery {
        var query = self
        query.limit = Limit(name: name, count: count)
        return query
    }

    /// Returns the fields of the address.
    ///
    /// - Throws: `TreeInputError` for a path that the tree cannot have, a bound that is a list or an object or not a
    ///   finite number, a bound that is not a text in the order of keys, or a limit that is not positive.
    func fields() throws -> [ServiceRequest.QueryField] {
        let name: String
        switch order {
        case .key: name = "$key"
        case .value: name = "$value"
        case .child(let path):
            name = try TreePath(path).text
            guard !name.isEmpty else { throw TreeInputError(path, "is not a path below the children") }
        }
        var fields = [ServiceRequest.QueryField("orderBy", try Self.text(.string(name)))]
        for bound in bounds { fields.append(.init(bound.name, try text(bound))) }
        if let limit {
            guard limit.count > 0 else { throw TreeInputError("\(limit.count)", "is not a positive limit") }
            fields.append(.init(limit.name, String(limit.count)))
        }
        return fields
    }

    private func text(_ bound: Bound) throws -> String {
        switch bound.value {
        case .array, .object: throw TreeInputError(bound.name, "has a list or an object as its value")
        case .double(let double) where !double.isFinite: throw TreeInputError("\(double)", "is not a number in JSON")
        case .null, .bool, .integer, .double:
            guard order != .key else { throw TreeInputError(bound.name, "needs a text in the order of keys") }
        case .string: break
        }
        guard let key = bound.key else { return try Self.text(bound.value) }
        return try Self.text(bound.value) + "," + Self.text(.string(key))
    }

    private static func text(_ scalar: JSONValue) throws -> String {
        String(decoding: try JSONEncoder().encode(scalar), as: UTF8.self)
    }
}
