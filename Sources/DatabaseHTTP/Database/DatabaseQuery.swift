import API
import TreeModel

extension DatabaseParameters {
    /// Returns the query for the requested children; nil for the whole value.
    ///
    /// - Throws: `Failure` with the code `bad_query`, or ``TreeError`` with the code `invalid_query`.
    func query() throws -> TreeQuery? {
        guard !filters.isEmpty else { return nil }
        let order = try order()
        let limit = try limit()
        let lower = try bound("startAt", exclusive: "startAfter")
        let upper = try bound("endAt", exclusive: "endBefore")
        guard let equalTo = filters["equalTo"] else {
            return try TreeQuery(order: order, from: lower, to: upper, limit: limit, isDescending: isDescending)
        }
        guard lower == nil, upper == nil else {
            throw Self.badQuery(
                "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")
        }
        return try TreeQuery(
            order: order, equalTo: try bound(equalTo), limit: limit, isDescending: isDescending)
    }

    /// Returns the order of the children. Without `orderBy`, the children's keys are the order.
    private func order() throws -> TreeQuery.Order {
        if isShallow { return .key }
        guard let orderBy = filters["orderBy"] else {
            throw Self.badQuery("orderBy must be defined when other query parameters are defined")
        }
        return try TreeQuery.Order(json: orderBy)
    }

    private func bound(_ inclusive: String, exclusive: String) throws -> TreeQuery.Bound? {
        switch (filters[inclusive], filters[exclusive]) {
        case (nil, nil): return nil
        case (let text?, nil): return try bound(text)
        case (nil, let text?): return try bound(text, isInclusive: false)
        case (_?, _?): throw Self.badQuery("\(inclusive) and \(exclusive) cannot both be specified")
        }
    }

    /// Parses a bound. In the order of keys it may be an unquoted key, because the vendor's command line sends it so.
    private func bound(_ text: String, isInclusive: Bool = true) throws -> TreeQuery.Bound {
        isShallow && !text.hasPrefix("\"")
            ? TreeQuery.Bound(.string(text), isInclusive: isInclusive)
            : try TreeQuery.Bound(json: text, isInclusive: isInclusive)
    }

    private func limit() throws(Failure) -> TreeQuery.Limit? {
        switch (filters["limitToFirst"], filters["limitToLast"]) {
        case (nil, nil): return nil
        case (let text?, nil): return .first(try Self.count(text, of: "limitToFirst"))
        case (nil, let text?): return .last(try Self.count(text, of: "limitToLast"))
        case (_?, _?): throw Self.badQuery("limitToFirst and limitToLast cannot both be specified")
        }
    }

    private static func count(_ text: String, of name: String) throws(Failure) -> Int {
        guard let count = Int32(text), count > 0 else { throw badQuery("\(name) must be a positive integer") }
        return Int(count)
    }

    private static func badQuery(_ complaint: String) -> Failure { Failure(.badQuery, complaint) }
}
