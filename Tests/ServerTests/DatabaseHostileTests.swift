import Client
import Files
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Tree

@Suite("The database: hostile bodies", .timeLimit(.minutes(20)))
struct DatabaseHostileTests {
    private static let invalidData = "Invalid data; couldn't parse JSON object, array, or value."
    private static let tooLarge =
        "Data to write exceeds the maximum size that can be modified with a single request."

    /// A body, its name, and the message of its refusal.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let body: [UInt8]
        let sentence: String

        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "depth 1,000",
            body: Array((String(repeating: "{\"a\":", count: 1000) + "1" + String(repeating: "}", count: 1000)).utf8),
            sentence: tooLarge),
        Row(name: "depth 1,000 of arrays", body: Array(repeating: UInt8(ascii: "["), count: 1000), sentence: tooLarge),
        Row(
            name: "a key of 10 MB", body: Array("{\"\(String(repeating: "k", count: 10 << 20))\":1}".utf8),
            sentence: invalidData),
        Row(
            name: "a text of 11 MB", body: Array("\"\(String(repeating: "x", count: 11 << 20))\"".utf8),
            sentence: tooLarge),
        Row(
            name: "a path of 3 KiB",
            body: Array(
                (String(repeating: "{\"\(String(repeating: "k", count: 100))\":", count: 30) + "1"
                    + String(repeating: "}", count: 30)).utf8), sentence: tooLarge),
        Row(
            name: "long paths, many times, in 80 kB",
            body: Array(
                ((0..<4).reduce("[" + (0..<30_000).map { _ in "1" }.joined(separator: ",") + "]") { value, _ in
                    "{\"\(String(repeating: "k", count: 700))\":\(value)}"
                }).utf8), sentence: tooLarge),
        Row(name: "bad UTF-8", body: [0x22, 0xFF, 0xFE, 0x22], sentence: invalidData),
        Row(name: "bad UTF-8 in a key", body: [0x7B, 0x22, 0xC3, 0x22, 0x3A, 0x31, 0x7D], sentence: invalidData),
        Row(name: "overlong UTF-8", body: [0x22, 0xC0, 0xAF, 0x22], sentence: invalidData),
        Row(name: "a zero byte", body: Array("\u{0}".utf8), sentence: invalidData),
        Row(name: "a byte order mark", body: [0xEF, 0xBB, 0xBF, 0x31], sentence: invalidData),
        Row(
            name: "a number without end", body: Array(repeating: UInt8(ascii: "1"), count: 1 << 20),
            sentence: invalidData),
        Row(name: "white space without end", body: Array(repeating: 0x20, count: 5000), sentence: invalidData),
        Row(
            name: "white space without end in an object",
            body: Array("{\"a\":".utf8) + Array(repeating: 0x0A, count: 5000), sentence: invalidData),
        Row(name: "a raw line break in a text", body: Array("\"\n\"".utf8), sentence: invalidData),
    ]

    @Test(arguments: rows)
    func refused(row: Row) async throws {
        try await withService { service in
            for size in [1, 1000, 1 << 20] where row.body.count / size < 20_000 {
                let answer = try await service.client.ask(
                    .put, "/a.json", body: .stream(byteCount: nil, chunks(row.body, of: size)))
                #expect(answer.status == 400, "\(answer.text.prefix(300))")
                #expect(answer.json["error"].string?.contains(row.sentence) == true, "\(answer.text.prefix(300))")
                #expect(answer.body.count < 1000, "the answer does not repeat what was sent")
            }
            #expect(try await service.client.get("/.json").text == "null")
        }
    }

    @Test("A body with a declared length over the limit is refused before its first byte", arguments: [true, false])
    func announced(asksFirst: Bool) async throws {
        try await withService { service in
            let answer = try await WireConnection.with(socket: service.socketPath) { connection in
                let expect = asksFirst ? "Expect: 100-continue\r\n" : ""
                try await connection.send(
                    "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 314572800\r\n\(expect)\r\n")
                return await connection.read(until: "}")
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.contains(Self.tooLarge))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("Values below long paths, written before the limit existed, can be read and deleted")
    func longPaths() async throws {
        try await withService { service in
            let path = try TreePath((0..<4).map { _ in String(repeating: "k", count: 700) }.joined(separator: "/"))
            try await service.tree.set(path, to: "old")
            #expect(try await service.client.get("\(path).json").text == "\"old\"")
            let refused = try await service.client.ask(.put, "\(path).json", body: .bytes(Array("1".utf8)))
            #expect(refused.status == 400 && refused.text.contains("2048"), "\(refused.text)")
            #expect(try await service.client.ask(.put, "\(path).json", body: .bytes(Array("null".utf8))).status == 200)
            #expect(try await service.client.get("/.json").text == "null")
        }
    }

    @Test("A smaller class has a smaller limit")
    func tiny() async throws {
        let texts = "[" + String(repeating: "\"\(String(repeating: "x", count: 1 << 20))\",", count: 17)
        try await withService { service in
            let answer = try await service.client.ask(
                .put, "/a.json?writeSizeLimit=tiny",
                body: .stream(byteCount: nil, chunks(Array(texts.utf8), of: 1 << 20)))
            #expect(answer.status == 400)
            #expect(answer.json["error"].string?.hasPrefix(Self.tooLarge) == true)
        }
    }

    @Test(
        "A truncated body writes nothing, even where the received part is JSON",
        arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func cut(framing: String) async throws {
        try await withService { service in
            let part = framing.hasPrefix("T") ? "5\r\n12" : "12"
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send("PUT /a.json HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n\(part)")
            }
            // The truncated write would have been applied before this one: there is one writer, in order.
            _ = try await service.client.ask(.put, "/b.json", body: .bytes(Array("1".utf8)))
            #expect(try await service.client.get("/.json").text == "{\"b\":1}")
        }
    }

    @Test("Many clients that send a byte now and then do not keep others from writing")
    func slow() async throws {
        try await withService { service in
            let status = try await withThrowingTaskGroup { group in
                let (started, go) = AsyncStream.makeStream(of: Void.self)
                let (finished, finish) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<200 {
                    group.addTask {
                        try await WireConnection.with(socket: service.socketPath) { connection in
                            try await connection.send(
                                "PUT /slow.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"a\":")
                            go.yield()
                            await finished.first { _ in true }
                        }
                    }
                }
                for await _ in started.prefix(200) {}
                let answer = try await service.client.ask(.put, "/a.json", body: .bytes(Array("1".utf8)))
                finish.finish()
                try await group.waitForAll()
                return answer.status
            }
            #expect(status == 200)
            #expect(try await service.client.get("/slow.json").text == "null")
        }
    }

    @Test("An answer too long for memory arrives complete, with its length")
    func longAnswer() async throws {
        try await withService { service in
            let text = String(repeating: "0123456789", count: 50_000)
            let value = "{" + (0..<9).map { "\"k\($0)\":\"\(text)\"" }.joined(separator: ",") + "}"
            let written = try await service.client.ask(.put, "/a.json", body: .bytes(Array(value.utf8)))
            #expect(written.text == value)
            let read = try await service.client.get("/a.json")
            #expect(read.text == value)
            #expect(read.headers[.contentLength] == "\(value.utf8.count)")
            let script = try await service.client.get("/a.json?callback=f")
            #expect(script.text == "/**/f(\(value));")
            let incoming = try service.scratch.directory().folder("Storage").folder("incoming")
            try await eventually { try incoming.entries().isEmpty }
        }
    }
}
