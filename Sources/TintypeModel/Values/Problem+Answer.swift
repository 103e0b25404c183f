#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Problem {
    /// Creates the problem of an answer. The body may have the form of any of the service's protocols, or be that of a
    /// program in between, such as a proxy.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - body: The body of the answer.
    ///   - retryAfter: The header field `Retry-After` in seconds; a date in it is not read.
    public init(status: Int, body: Data, retryAfter: String? = nil) {
        let value = (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null
        self.init(.unknown, status: status, message: "the answer has the status \(status)")
        self.retryAfter = retryAfter.flatMap(Self.seconds)
        if let code = value["code"]?.string {
            self.code = Code(rawValue: code)
            message = value["detail"]?.string ?? value["title"]?.string ?? value["message"]?.string ?? message
            hint = value["hint"]?.string ?? ""
            trace = value["trace"]?.string
            expectedOffset = value["expected-offset"]?.integer
            quota = Self.quota(value)
        } else if let error = value["error"]?.string {
            // The database.
            code = [401, 403].contains(status) ? .permissionDenied : .unknown
            message = error
        } else if let error = value["error"]?["message"]?.string {
            // The identity endpoints: a code such as EMAIL_EXISTS, and sometimes a text.
            let parts = error.split(separator: " : ", maxSplits: 1)
            code = parts.first.map { Code(rawValue: String($0)) } ?? .unknown
            message = parts.last.map(String.init) ?? message
        }
    }

    /// The longest time in `Retry-After` that is believed: a day.
    private static let longestWait = 86_400

    private static func seconds(_ text: String) -> Duration? {
        guard let seconds = Int(text), seconds >= 0 else { return nil }
        return .seconds(min(seconds, longestWait))
    }

    private static func quota(_ value: JSONValue) -> Quota? {
        guard let used = value["used"]?.integer, let limit = value["quota"]?.integer else { return nil }
        return Quota(used: used, limit: limit, needed: value["needed"]?.integer ?? 0)
    }
}
