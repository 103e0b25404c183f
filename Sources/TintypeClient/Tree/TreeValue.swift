public import TintypeModel

/// A value that was read together with others.
public struct TreeValue: Hashable, Sendable {
    /// The path, as it was requested.
    public let path: String
    /// The value, `null` if there is none; or the reason why it was not sent.
    public let result: Result<JSONValue, Problem>
    /// The version of the value for conditions; nil if the value was not sent.
    public let etag: String?

    init(path: String, result: Result<JSONValue, Problem>, etag: String?) {
        (self.path, self.result, self.etag) = (path, result, etag)
    }

    /// Creates a value from an element of the service's list.
    ///
    /// - Throws: `TransportError` if it is not in the form of the service.
    init(_ element: JSONValue) throws {
        guard let path = element["path"]?.string else { throw TransportError(.malformed, "a value has no path") }
        if let error = element["error"] {
            let code = Problem.Code(rawValue: error["code"]?.string ?? "unknown")
            let problem = Problem(
                code, status: code == .permissionDenied ? 401 : 400, message: error["message"]?.string ?? "",
                hint: error["hint"]?.string ?? "")
            self.init(path: path, result: .failure(problem), etag: nil)
        } else {
            self.init(path: path, result: .success(element["value"] ?? .null), etag: element["etag"]?.string)
        }
    }
}
