internal import Foundation
internal import TintypeClient
internal import TintypeModel

extension TransportResponse {
    /// Creates the answer with which the service refuses a request.
    init(_ problem: Problem) throws {
        var members: [String: JSONValue] = [
            "code": .string(problem.code.rawValue), "status": .integer(Int64(problem.status)),
            "detail": .string(problem.message), "hint": .string(problem.hint), "type": .string("about:blank"),
        ]
        if let trace = problem.trace { members["trace"] = .string(trace) }
        if let offset = problem.expectedOffset { members["expected-offset"] = .integer(offset) }
        if let quota = problem.quota {
            members["used"] = .integer(quota.used)
            members["quota"] = .integer(quota.limit)
            members["needed"] = .integer(quota.needed)
        }
        var headers: HeaderFields = ["Content-Type": "application/problem+json"]
        if let wait = problem.retryAfter { headers["Retry-After"] = String(wait.components.seconds) }
        self.init(status: problem.status, headers: headers, body: try JSONEncoder().encode(JSONValue.object(members)))
    }
}
