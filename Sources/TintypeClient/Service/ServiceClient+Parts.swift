import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts that the requests have in common.
extension ServiceClient {
    /// Requests a page of a list.
    func page<Element: PageElement>(
        _ path: [String], before: Cursor? = nil, after: Cursor? = nil, limit: Int?,
        query: [ServiceRequest.QueryField] = []
    ) async throws -> Answer<Page<Element>> {
        var request = ServiceRequest("GET", path, query: query)
        request.setQuery("before", before?.rawValue)
        request.setQuery("after", after?.rawValue)
        request.setQuery("limit", limit)
        return try await answer(to: request)
    }

    /// Sends a request with an object of JSON; fields that are nil are left out.
    func answer<Value: Decodable & Sendable>(
        _ method: String, _ path: [String], _ fields: [String: JSONValue?], idempotencyKey: String? = nil,
        etag: String? = nil
    ) async throws -> Answer<Value> {
        var request = ServiceRequest(method, path)
        try request.setBody(.object(fields.compactMapValues(\.self)))
        request.headers["Idempotency-Key"] = idempotencyKey
        request.headers["If-Match"] = etag
        return try await answer(to: request)
    }

    /// Sends a request of whose answer only the header is of interest.
    func confirmation(of request: ServiceRequest) async throws -> Answer<Void> {
        let response = try await response(to: request)
        return Answer((), changeNumber: response.changeNumber, etag: response.headers["ETag"])
    }
}

extension JSONValue {
    /// Creates the time of a device's clock; nil for nil.
    ///
    /// - Throws: `EncodingError` for a date that is not a time.
    init?(clientTime date: Date?) throws {
        guard let date else { return nil }
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let integer = Int64(exactly: milliseconds) else {
            throw EncodingError.invalidValue(
                milliseconds, .init(codingPath: [], debugDescription: "the date cannot be written in milliseconds"))
        }
        self = .integer(integer)
    }

    /// Creates a list of mentions; nil for nil.
    init?(mentions: [Mention]?) {
        guard let mentions else { return nil }
        self = .array(
            mentions.map {
                [
                    "uid": .string($0.personID.rawValue), "start": .integer(Int64($0.start)),
                    "length": .integer(Int64($0.length)),
                ]
            })
    }
}
