public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request to the service, independent of the service's address and of the session.
public struct ServiceRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The parts of the path, without percent-encoding, such as `["v1", "posts", "-P6x"]`.
    public var path: [String]
    /// The fields of the query, in their order, without percent-encoding.
    public var query: [QueryField] = []
    /// The header fields besides those of the session.
    public var headers: HeaderFields = [:]
    /// The body.
    public var body: TransportRequest.Body = .none
    /// Whether the request is sent with the session's token, if there is one.
    public var isAuthorized = true

    /// A field of the query.
    public struct QueryField: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method, such as `GET`.
    ///   - path: The parts of the path, which are not encoded yet.
    ///   - query: The fields of the query.
    ///   - idempotencyKey: The key by which the service recognises the same write, of 1 to 200 printable ASCII
    ///     characters; nil for none.
    public init(_ method: String, _ path: [String], query: [QueryField] = [], idempotencyKey: String? = nil) {
        (self.method, self.path, self.query) = (method, path, query)
        headers["Idempotency-Key"] = idempotencyKey
    }

    /// Adds a field to the query, unless the value is nil.
    public mutating func setQuery(_ name: String, _ value: (some CustomStringConvertible)?) {
        if let value { query.append(QueryField(name, value.description)) }
    }

    /// Sets a body of JSON.
    ///
    /// - Throws: `EncodingError`.
    public mutating func setBody(_ value: JSONValue) throws {
        body = .data(try JSONEncoder().encode(value))
        headers["Content-Type"] = "application/json"
    }

    /// Returns the absolute address; nil if the service's address has no host, or if a part of the path is empty, `.` or
    /// `..`, which would be the address of something else.
    ///
    /// - Parameter service: The address of the service, which may have a path.
    public func url(relativeTo service: URL) -> URL? {
        var text = service.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        guard !path.contains(where: { ["", ".", ".."].contains($0) }) else { return nil }
        for part in path { text += "/" + PercentEncoding.encode(part) }
        for (index, field) in query.enumerated() {
            text +=
                (index == 0 ? "?" : "&") + PercentEncoding.encode(field.name) + "="
                + PercentEncoding.encode(field.value)
        }
        guard let url = URL(string: text), url.host?.isEmpty == false else { return nil }
        return url
    }
}
