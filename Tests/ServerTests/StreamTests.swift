import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The database: streams among other requests", .timeLimit(.minutes(20)))
struct StreamTests {
    private static let read = "GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let listen = "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"

    @Test("A stream that is requested after other requests begins when these are answered", arguments: [1, 2, 20])
    func pipelined(count: Int) async throws {
        try await withService { service in
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("7".utf8)))
            for _ in 0..<10 {
                let connection = try await WireConnection(socket: service.socketPath)
                try await connection.send(String(repeating: Self.read, count: count) + Self.listen)
                for _ in 0..<count {
                    let answer = await connection.answer()
                    #expect(answer?.status == 200 && answer?.text == "7")
                }
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
                #expect(await connection.read(through: "\n\n") == "event: put\ndata: {\"path\":\"/\",\"data\":7}\n\n")
                await connection.close()
            }
        }
    }

    @Test("Requests after a request for a stream are ignored")
    func behind() async throws {
        try await withService { service in
            let connection = try await WireConnection(socket: service.socketPath)
            try await connection.send(Self.listen + "DELETE /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await connection.read(through: "\n\n")?.hasSuffix("\"data\":null}\n\n") == true)
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("1".utf8)))
            #expect(await connection.read(through: "\n\n") == "event: put\ndata: {\"path\":\"/\",\"data\":1}\n\n")
            await connection.close()
        }
    }

    @Test("Malformed bytes after a request for a stream are not read: the stream continues")
    func nonsense() async throws {
        try await withService { service in
            for (number, nonsense) in ["nonsense\r\n\r\n", "\0\0\0", "GET / HTTP/9.9\r\n\r\n"].enumerated() {
                let connection = try await WireConnection(socket: service.socketPath)
                try await connection.send(Self.listen + nonsense)
                #expect(await connection.read(through: "\n\n") != nil)
                try await connection.send(nonsense)
                _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("\(number)".utf8)))
                let event = await connection.read(through: "\n\n")
                #expect(event == "event: put\ndata: {\"path\":\"/\",\"data\":\(number)}\n\n")
                await connection.close()
            }
        }
    }

    @Test("Streams that end at any moment of their start leave nothing behind")
    func closedWhileOpening() async throws {
        try await withService { service in
            _ = try await service.client.ask(
                .put, "/a.json", body: .bytes(Array("{\"b\":{\"n\":1},\"c\":{\"n\":2}}".utf8)))
            let query = Self.listen.replacing("/a.json", with: "/a.json?orderBy=%22$key%22&limitToFirst=1")
            let stays = try await WireConnection(socket: service.socketPath)
            try await stays.send(query)
            #expect(await stays.read(through: "\n\n") != nil)
            for round in 0..<300 {
                let connection = try await WireConnection(socket: service.socketPath)
                try await connection.send(round % 2 == 0 ? query : Self.listen)
                for _ in 0..<(round % 7) { await Task.yield() }
                await connection.close()
            }
            _ = try await service.client.ask(.put, "/a/b/n.json", body: .bytes(Array("3".utf8)))
            #expect(await stays.read(through: "\n\n") == "event: put\ndata: {\"path\":\"/b\",\"data\":{\"n\":3}}\n\n")
            await stays.close()
        }
    }

    @Test("A query is cancelled at once when its index is removed")
    func cancelled() async throws {
        try await withService { service in
            let rules = #"{"rules":{"a":{".indexOn":"n"}}}"#
            _ = try await service.client.ask(.put, "/.settings/rules.json", body: .bytes(Array(rules.utf8)))
            let connection = try await WireConnection(socket: service.socketPath)
            try await connection.send(Self.listen.replacing("/a.json", with: "/a.json?orderBy=%22n%22"))
            #expect(await connection.read(through: "\n\n") != nil)
            _ = try await service.client.ask(
                .put, "/.settings/rules.json", body: .bytes(Array(#"{"rules":{}}"#.utf8)))
            #expect(await connection.readToEnd() == "event: cancel\ndata: null\n\n")
        }
    }
}
