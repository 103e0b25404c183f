import Foundation
import Testing
import TintypeModel

@Suite("Problems of other forms than the service's")
struct ProblemTests {
    private func problem(_ status: Int, _ body: String, _ retryAfter: String? = nil) -> Problem {
        Problem(status: status, body: Data(body.utf8), retryAfter: retryAfter)
    }

    @Test("The database and the identity endpoints have forms of their own")
    func forms() {
        let refused = problem(401, #"{"error":"Permission denied"}"#)
        #expect(refused.code == .permissionDenied && refused.message == "Permission denied" && refused.hint.isEmpty)
        #expect(problem(400, #"{"error":"Invalid path"}"#).code == .unknown)
        let exists = problem(400, #"{"error":{"code":400,"message":"EMAIL_EXISTS","errors":[]}}"#)
        #expect(exists.code == "EMAIL_EXISTS" && exists.message == "EMAIL_EXISTS")
        let weak = problem(400, #"{"error":{"message":"WEAK_PASSWORD : Use six characters"}}"#)
        #expect(weak.code == "WEAK_PASSWORD" && weak.message == "Use six characters")
    }

    @Test(
        "An answer of another program is a problem with its status",
        arguments: ["", "<html>Bad Gateway</html>", "{", "[]", "7", #"{"code":7}"#, #"{"error":{"message":7}}"#])
    func others(body: String) {
        let problem = problem(502, body)
        #expect(problem.code == .unknown && problem.status == 502 && problem.isTransient)
        #expect(problem.message == "the answer has the status 502" && problem.trace == nil)
    }

    @Test(
        "Only what may succeed later without a change is transient",
        arguments: [
            (400, false), (401, false), (403, false), (404, false), (408, true), (409, false), (410, false),
            (422, false), (429, true), (460, true), (500, true), (501, false), (503, true), (504, true), (507, true),
        ])
    func transience(status: Int, isTransient: Bool) {
        #expect(problem(status, "").isTransient == isTransient)
        #expect(!problem(507, #"{"code":"quota_exceeded","detail":"full"}"#).isTransient)
    }

    @Test(
        "The time to wait is read if it is a number of seconds, and is a day at most",
        arguments: [
            ("0", Duration.seconds(0)), ("120", .seconds(120)), ("99999999", .seconds(86400)), ("-1", nil),
            ("1.5", nil), ("99999999999999999999", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("", nil), (nil, nil),
        ])
    func waits(text: String?, wait: Duration?) {
        #expect(problem(503, "", text).retryAfter == wait)
    }

    @Test("A problem is described for people and for logs")
    func descriptions() {
        let problem = Problem(.notFound, status: 404, message: "the post does not exist", hint: "Check the id.")
        #expect(problem.localizedDescription == "the post does not exist")
        #expect(problem.recoverySuggestion == "Check the id.")
        #expect("\(problem)" == "404 not_found: the post does not exist")
        #expect(Problem("x", status: 400, message: "m").recoverySuggestion == nil)
    }
}
