public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes are durable when they return. A write with an idempotency key, such as a UUID, can be sent again if its answer
/// was lost: it is carried out once, and each repetition gets the first answer, for 30 days.
extension TreeReference {
    /// Replaces the value.
    ///
    /// - Parameters:
    ///   - value: The value; `null` deletes.
    ///   - etag: The version that the value must have, or `ConditionFailed.absent`; nil for any.
    ///   - idempotencyKey: The key for repetitions; nil for none.
    /// - Returns: The value that was written, with the times and the sums of the service in place of server values.
    /// - Throws: `ConditionFailed` if the value has another version.
    @discardableResult
    public func set(
        _ value: JSONValue, ifMatch etag: String? = nil, idempotencyKey: String? = nil
    ) async throws -> Answer<JSONValue> {
        try await answer(to: replacement(value, ifMatch: etag, idempotencyKey))
    }

    /// Writes the values at several paths below the node, all of them or none.
    ///
    /// - Parameters:
    ///   - values: The values by their paths, such as `events/-P6x/title`; `null` deletes.
    ///   - conditions: The required ETags by their paths below the node, or `ConditionFailed.absent`; the empty path is
    ///     the node itself, and then the only one. The paths need not be written.
    ///   - idempotencyKey: The key for repetitions; nil for none.
    /// - Returns: The values that were written, by their paths.
    /// - Throws: `ConditionFailed` if one of the values has another version.
    @discardableResult
    public func update(
        _ values: [String: JSONValue], ifMatch conditions: [String: String] = [:], idempotencyKey: String? = nil
    ) async throws -> Answer<JSONValue> {
        let base = try location.get()
        for (path, value) in values { try value.checkKeys(at: base.appending(TreePath(path))) }
        for path in conditions.keys { _ = try base.appending(TreePath(path)) }
        var request = try request("PATCH")
        if conditions.count == 1, let etag = conditions[""] {
            request.headers["If-Match"] = etag
        } else if !conditions.isEmpty {
            request.headers[Self.conditionsField] = try Self.asciiText(.object(conditions.mapValues(JSONValue.string)))
        }
        request.headers["Idempotency-Key"] = idempotencyKey
        try request.setBody(.object(values))
        return try await answer(to: request)
    }

    /// Adds a child under a key that the service makes; keys are in the order of time.
    ///
    /// - Returns: The key.
    @discardableResult
    public func add(_ value: JSONValue, idempotencyKey: String? = nil) async throws -> Answer<String> {
        try value.checkKeys(at: location.get())
        var request = try request("POST")
        request.headers["Idempotency-Key"] = idempotencyKey
        request.headers["X-Firebase-ETag"] = "true"
        try request.setBody(value)
        return try await answer(to: request).map { answer in
            guard let key = answer["name"]?.string else { throw TransportError(.malformed, "the answer has no key") }
            return key
        }
    }

    /// Deletes the value, with everything below it. It succeeds if there is none.
    ///
    /// - Parameters:
    ///   - etag: The version that the value must have; nil for any.
    ///   - idempotencyKey: The key for repetitions; nil for none.
    /// - Throws: `ConditionFailed` if the value has another version.
    @discardableResult
    public func remove(ifMatch etag: String? = nil, idempotencyKey: String? = nil) async throws -> Answer<Void> {
        var request = try request("DELETE")
        request.headers["If-Match"] = etag
        request.headers["Idempotency-Key"] = idempotencyKey
        return try await answer(to: request).map { _ in () }
    }

    func replacement(
        _ value: JSONValue, ifMatch etag: String?, _ idempotencyKey: String?
    ) throws -> ServiceRequest {
        try value.checkKeys(at: location.get())
        var request = try request("PUT")
        request.headers["If-Match"] = etag
        request.headers["Idempotency-Key"] = idempotencyKey
        request.headers["X-Firebase-ETag"] = "true"
        try request.setBody(value)
        return request
    }

    /// Returns a value as JSON text for a header field, which may only have ASCII characters.
    private static func asciiText(_ value: JSONValue) throws -> String {
        let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        return text.utf16.reduce(into: "") { result, unit in
            if let scalar = Unicode.Scalar(unit), scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                let hex = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
            }
        }
    }
}
