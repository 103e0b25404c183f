import DaemonSupport
import Foundation
import Testing
import TintypeClient

@Suite("A transport and a hostile server", .timeLimit(.minutes(3)))
struct HostileServerTests {
    /// The behaviour of a server, and the cause of the error with which the request ends.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var cause: TransportError.Cause
        var script: @Sendable (ScriptedConnection) throws -> Void

        init(
            _ name: String, _ cause: TransportError.Cause,
            _ script: @escaping @Sendable (ScriptedConnection) throws -> Void
        ) {
            (testDescription, self.cause, self.script) = (name, cause, script)
        }

        init(_ name: String, _ cause: TransportError.Cause, answer: String) {
            self.init(name, cause) { connection in
                guard try connection.request() != nil else { return }
                try connection.send(answer)
            }
        }
    }

    static let cases = [
        Case("a cut before the answer", .interrupted) { _ = try $0.request() },
        Case("a cut at once", .interrupted) { _ in },
        Case("a reset before the answer", .interrupted) {
            _ = try $0.request()
            $0.reset()
        },
        Case("a cut in the header", .interrupted, answer: "HTTP/1.1 200 OK\r\nContent-Le"),
        Case("a cut after the status line", .interrupted, answer: "HTTP/1.1 200 OK\r\n"),
        Case("a cut in the body", .interrupted, answer: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        Case("a reset in the body", .interrupted) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc")
            $0.reset()
        },
        Case("a cut in a chunk", .interrupted, answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
        Case(
            "a cut between chunks", .interrupted,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
        Case(
            "a chunk without a size", .malformed,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n"),
        Case("an answer in another protocol", .malformed, answer: "220 mail.example.org ESMTP\r\n"),
        Case("bytes", .malformed) {
            _ = try $0.request()
            try $0.send(Data((0...255).map { UInt8($0) }))
        },
        Case("a status that is no number", .malformed, answer: "HTTP/1.1 abc OK\r\n\r\n"),
        Case(
            "a header field without a colon", .malformed,
            answer: "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 0\r\n\r\n"),
        Case(
            "two lengths", .malformed, answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
        Case("a length that is negative", .malformed, answer: "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabcde"),
        Case(
            "a length beyond 64 bits", .tooLarge,
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabcde"),
        Case(
            "a length that is not reached", .interrupted,
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabcde"),
        Case(
            "gzip that is none", .malformed,
            answer: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"),
        Case(
            "an unknown content encoding", .malformed,
            answer: "HTTP/1.1 200 OK\r\nContent-Encoding: zzz\r\nContent-Length: 5\r\n\r\nabcde"),
        Case("a header without an end", .tooLarge) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 200 OK\r\n")
            while true { try $0.send("X-A: \(String(repeating: "a", count: 1000))\r\n") }
        },
        Case("a body without an end", .tooLarge) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 200 OK\r\n\r\n")
            while true { try $0.send(Data(count: 1 << 20)) }
        },
        Case("no answer", .timedOut) {
            _ = try $0.request()
            try $0.waitForEnd()
        },
        Case("an answer that stops", .timedOut) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            try $0.waitForEnd()
        },
        Case("a header that stops", .timedOut) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 200 OK\r\nContent-")
            try $0.waitForEnd()
        },
        Case("interim answers only", .timedOut) {
            _ = try $0.request()
            try $0.send("HTTP/1.1 104 Upload Resumption Supported\r\n\r\n")
            try $0.waitForEnd()
        },
    ]

    @Test("An answer that is none is an error with its cause", arguments: cases, 0..<3)
    func causes(_ test: Case, _ round: Int) async throws {
        let cause = try await failure(of: test, .standard)
        #expect(cause == test.cause)
    }

    @Test("An answer that is none is an error over URLSession, too", arguments: sessionCases, 0..<3)
    func sessionErrors(_ test: Case, _ round: Int) async throws {
        _ = try await failure(of: test, .session)
    }

    /// The cases but those with which the Foundation of Linux ends the process (an end within a header), does not end (bytes
    /// faster than it can read them), or sees an answer.
    private static let sessionCases = cases.filter {
        ![
            "a cut in the header", "a cut after the status line", "a header that stops", "interim answers only",
            "a header without an end", "a body without an end", "two lengths", "a length beyond 64 bits",
        ].contains($0.testDescription)
    }

    private func failure(of test: Case, _ kind: TransportKind) async throws -> TransportError.Cause? {
        try await ScriptedServer.run(test.script) { address in
            try await kind.run { transport in
                var request = TransportRequest("GET", address.appendingPathComponent("v1/posts"))
                request.idleTimeout = .milliseconds(700)
                let error = await #expect(throws: TransportError.self) { try await transport.response(to: request) }
                return error?.cause
            }
        }
    }
}
