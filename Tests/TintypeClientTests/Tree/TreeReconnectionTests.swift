import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("The connections of an observer", .timeLimit(.minutes(1)))
struct TreeReconnectionTests {
    /// The answers to the requests for a stream, in turn: a status and the body, after which the connection is cut.
    private actor Script: Transport {
        private var answers: [(status: Int, body: String)]
        private(set) var queries: [String?] = []

        init(_ answers: [(status: Int, body: String)]) { self.answers = answers }

        func response(
            to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
        ) async throws -> TransportResponse { throw TransportError(.offline) }

        func stream(for request: TransportRequest) async throws -> TransportStream {
            queries.append(request.url.query)
            guard !answers.isEmpty else { throw Problem("no_more", status: 404, message: "the script is at its end") }
            let (status, body) = answers.removeFirst()
            guard status > 0 else { throw TransportError(.unreachable) }
            let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
            continuation.yield(Data(body.utf8))
            continuation.finish(throwing: status == 200 ? TransportError(.interrupted) : nil)
            return TransportStream(
                status: status, headers: status == 503 ? ["Retry-After": "7"] : [:], chunks: chunks)
        }
    }

    /// Observes until the script is at its end, and returns the last snapshot, the error and the waits.
    private func observe(
        _ answers: [(status: Int, body: String)]
    ) async throws -> (last: JSONValue?, error: (any Error)?, waits: [Duration], queries: [String?]) {
        let (script, clock) = (Script(answers), PacedClock())
        let url = try #require(URL(string: "http://localhost"))
        let client = ServiceClient(service: url, keychain: MemoryKeychain(), transport: script, clock: clock)
        var (last, end): (JSONValue?, (any Error)?)
        do {
            for try await snapshot in client.tree("a").observe() { last = snapshot }
        } catch { end = error }
        return (last, end, await clock.waits, await script.queries)
    }

    private static func event(_ name: String, _ data: String) -> String { "event: \(name)\ndata: \(data)\n\n" }
    private static let first = event("put", #"{"path":"/","data":{"x":1}}"#)
    private static let keepAlive = event("keep-alive", "null")

    @Test("The waits grow while connections fail, and begin again after one that was well")
    func waits() async throws {
        let failures = Array(repeating: (status: 0, body: ""), count: 12)
        let result = try await observe(failures + [(200, Self.first + Self.keepAlive)] + [(0, "")])
        #expect((result.error as? Problem)?.code == "no_more")
        #expect(result.last == ["x": 1])
        for (count, wait) in result.waits.prefix(12).enumerated() {
            let whole = Duration.milliseconds(min(60_000, 500 << count))
            #expect(wait >= whole / 2 && wait <= whole, "\(count)")
        }
        #expect(result.waits.count == 14 && result.waits[12] <= .milliseconds(500))
    }

    @Test("A service that ends each connection after its first event is reached after growing waits")
    func unwell() async throws {
        let result = try await observe(Array(repeating: (200, Self.first), count: 6))
        #expect(result.waits.count == 6 && result.waits[5] >= .seconds(8))
    }

    private static let passing: [(status: Int, body: String)] = [
        (0, ""), (200, ""), (500, "{}"), (502, "<html>"), (503, ""), (429, #"{"error":"slowly"}"#),
        (200, event("cancel", "null")), (200, event("auth_revoked", "\"credential is no longer valid\"")),
        (200, event("put", "no JSON")), (200, event("put", #"{"path":7,"data":1}"#)), (200, event("put", "{}")),
        (200, event("patch", #"{"path":"/","data":1}"#)), (200, event("put", #"{"path":"/"}"#)),
        (200, event("put", #"{"path":"/","data":"# + String(repeating: "[", count: 100_000))),
        (200, event("new-kind", "?")),
    ]

    @Test("The observer goes on after an answer that passes, and keeps its state", arguments: passing)
    func goingOn(_ answer: (status: Int, body: String)) async throws {
        let whole = Self.event("put", #"{"path":"/","data":{"x":1,"y":2}}"#)
        let result = try await observe([(200, Self.first), answer, (200, whole)])
        #expect((result.error as? Problem)?.code == "no_more")
        #expect(result.last == ["x": 1, "y": 2])
        if answer.status == 503 { #expect(result.waits[1] == .seconds(7)) }
    }

    private static let refusals: [(status: Int, body: String)] = [
        (400, #"{"error":"Index not defined"}"#), (401, #"{"error":"Permission denied"}"#), (403, "{}"), (404, ""),
    ]

    @Test("The sequence ends with a refusal that does not pass", arguments: refusals)
    func ending(_ answer: (status: Int, body: String)) async throws {
        let result = try await observe([(200, Self.first), answer, (200, Self.first)])
        #expect((result.error as? Problem)?.status == answer.status)
        #expect(result.last == ["x": 1])
    }

    private static let events: [(event: String, value: JSONValue)] = [
        (event("put", #"{"path":"/","data":null}"#), nil),
        (event("put", #"{"path":"/x","data":null}"#), nil),
        (event("put", #"{"path":"/x/y","data":null}"#), ["x": 1]),
        (event("put", #"{"path":"/x/y/z","data":2}"#), ["x": ["y": ["z": 2]]]),
        (event("put", #"{"path":"/l","data":[1,null,[]]}"#), ["x": 1, "l": [1]]),
        (event("put", #"{"path":"/0/0","data":[[true]]}"#), ["x": 1, "0": [[[true]]]]),
        (event("patch", #"{"path":"/x","data":{"a/b":1,"c":null}}"#), ["x": ["a": ["b": 1]]]),
        (event("patch", #"{"path":"/","data":{"x":null,"y/z":{},"/ü ä":"ß"}}"#), ["ü ä": "ß"]),
        (event("patch", #"{"path":"/","data":{}}"#), ["x": 1]),
    ]

    @Test("Events are applied at any depth", arguments: events)
    func application(_ event: String, _ value: JSONValue) async throws {
        #expect(try await observe([(200, Self.first + event)]).last == value)
    }

    @Test("Each connection has the query")
    func query() async throws {
        let (script, clock) = (Script([(200, Self.first)]), PacedClock())
        let url = try #require(URL(string: "http://localhost"))
        let client = ServiceClient(service: url, keychain: MemoryKeychain(), transport: script, clock: clock)
        await #expect(throws: Problem.self) {
            for try await _ in client.tree("a").of(Event.self).observe(TreeQuery().last(1)) {}
        }
        #expect(await script.queries == Array(repeating: "orderBy=%22%24key%22&limitToLast=1", count: 2))
    }
}
