import Foundation
import Testing

@testable import TintypeClient

@Suite("A stream of events")
struct ServerSentEventsTests {
    /// The events as `id|name|data`.
    private func events(of chunks: [Data]) async throws -> [String] {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
        var events: [String] = []
        for try await event in ServerSentEvents(stream) {
            events.append("\(event.id ?? "-")|\(event.name)|\(event.data)")
        }
        return events
    }

    @Test(
        "Its events do not depend on how its bytes are split",
        arguments: [
            ("data: a\n\ndata: b\r\n\r\ndata: c\r\r", ["-|message|a", "-|message|b", "-|message|c"]),
            ("\u{FEFF}data: a\n\n", ["-|message|a"]),
            (": comment\n\n:\ndata:a\ndata: b\ndata:  c\ndata\n\n", ["-|message|a\nb\n c\n"]),
            ("event: put\nid: 7\ndata: é\n\ndata: x\n\nid\ndata: y\n\n", ["7|put|é", "7|message|x", "-|message|y"]),
            ("id: a\0b\nid2: c\ndata: x\n\n", ["-|message|x"]),
            ("id: 1\n\nevent: gone\n\ndata: x\n\n", ["1|message|x"]),
            ("data: not ended\n", []),
            ("data\n\ndata\ndata\n\ndata:", ["-|message|", "-|message|\n"]),
            ("retry: 10\ndata: \r\n\r\n", ["-|message|"]),
        ])
    func splits(_ test: (text: String, events: [String])) async throws {
        let bytes = Data(test.text.utf8)
        for size in 1...max(1, bytes.count) {
            let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(try await events(of: chunks) == test.events, "chunks of \(size)")
        }
    }

    @Test("The time to wait is read, and a malformed one is not")
    func reconnectionTime() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        continuation.yield(
            Data("retry: 1500\nretry: x\nretry: -1\nretry: 99999999999999999999\nretry:\ndata: a\n\n".utf8))
        continuation.finish()
        var iterator = ServerSentEvents(stream).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        #expect(iterator.reconnectionTime == .milliseconds(1500))
    }

    @Test(
        "An event of 16 MiB is read, and a larger one is an error",
        arguments: [
            (["data: ", "\n\n"], 1), (["data: ", "\ndata: "], 20), ([": ", ""], 20),
        ])
    func limit(_ test: (parts: [String], count: Int)) async throws {
        let piece = Data(test.parts[0].utf8) + Data(repeating: 97, count: 1 << 20) + Data(test.parts[1].utf8)
        let chunks = Array(repeating: piece, count: test.count)
        if test.count == 1 {
            #expect(try await events(of: chunks).count == 1)
        } else {
            let error = await #expect(throws: TransportError.self) { try await events(of: chunks) }
            #expect(error?.cause == .tooLarge)
        }
    }

    @Test("A cut ends it with its error after the events before")
    func cut() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        continuation.yield(Data("data: a\n\ndata: b".utf8))
        continuation.finish(throwing: TransportError(.interrupted))
        var iterator = ServerSentEvents(stream).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        await #expect(throws: TransportError.self) { _ = try await iterator.next() }
    }
}
