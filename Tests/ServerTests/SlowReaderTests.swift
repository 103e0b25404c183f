import Client
import Database
import HTTPTypes
import NIOCore
import Store
import TestSupport
import Testing
import Uploads

@testable import Service
@testable import Transport

@Suite("Readers that do not read hold little, and not for long", .timeLimit(.minutes(20)))
struct SlowReaderTests {
    private static let listen = "GET /large.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"

    /// Writes this many times 512 KiB to `large`. Sockets and the service's own buffers hold up to 1.5 MiB of unread
    /// data.
    private func fill(_ service: Service, _ count: Int = 3) async throws -> String {
        let text = String(repeating: "0123456789abcdef", count: 1 << 15)
        let json = "{" + (0..<count).map { "\"k\(100 + $0)\":\"\(text)\"" }.joined(separator: ",") + "}"
        let answer = try await service.client.ask(
            .put, "/large.json?print=silent", body: .bytes(Array(json.utf8)))
        #expect(answer.status == 204)
        return json
    }

    /// Opens streams, of which nothing is read.
    private func unread(_ count: Int, _ service: Service) async throws -> [WireConnection] {
        var connections: [WireConnection] = []
        for _ in 0..<count {
            let connection = try await WireConnection(socket: service.socketPath, reads: false)
            try await connection.send(Self.listen)
            connections.append(connection)
        }
        return connections
    }

    @Test(
        "Waiting streams stay within their limit of disk space; then large reads are refused, small ones are not")
    func bound() async throws {
        try await withService(changeServer: {
            $0.maxSpooledBytes = 20 << 20
            $0.readingPace.time = .hours(1)
        }) { service in
            let json = try await fill(service, 16)
            let connections = try await unread(2, service)
            // Both wait before any other request: a read between them would cause one of them to be refused.
            try await eventually { service.server.spool.usedBytes >= 2 * json.utf8.count }
            let refused = try await service.client.get("/large.json")
            #expect(refused.status == 503 && refused.headers[.retryAfter] != nil)
            #expect(refused.json["error"].string?.hasPrefix("too many large answers wait for their readers") == true)
            let held = unnamedBytes(in: service.pipeline.storage.path)
            #expect((1...20 << 20).contains(held), "\(held) bytes of disk")
            let stream = try await WireConnection(socket: service.socketPath)
            try await stream.send(Self.listen)
            #expect(await stream.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 503 ") == true)
            #expect(try await service.client.get("/large/none.json").text == "null")
            let echo = try await service.client.ask(.put, "/other.json", body: .bytes(Array(json.utf8)))
            #expect(echo.status == 200 && echo.text == json, "what has been written is told all the same")
            for connection in connections { await connection.close() }
            try await eventually { try await service.client.get("/large.json").text == json }
        }
    }

    @Test(
        "A client that does not read its stream is disconnected, and its space is freed")
    func cut() async throws {
        try await withService(changeServer: {
            $0.readingPace = SlowReaderHandler.Pace(bytes: 1 << 10, time: .seconds(10))
        }) { service in
            let json = try await fill(service)
            let connections = try await unread(2, service)
            try await eventually { service.server.spool.usedBytes > 0 }
            try await eventually { service.server.spool.usedBytes == 0 }
            for connection in connections {
                connection.beginReading()
                #expect(await connection.readToEnd().utf8.count < json.utf8.count)
            }
        }
    }

    @Test("A stream with a long beginning sends all of it, then the changes made meanwhile, once and in order")
    func longStart() async throws {
        try await withService(changeServer: { $0.readingPace.time = .hours(1) }) { service in
            let json = try await fill(service)
            let connections = try await unread(3, service)
            // They start to listen once bytes are on the way to them.
            try await eventually { service.server.spool.usedBytes >= 3 * json.utf8.count }
            for number in 0..<3 {
                _ = try await service.client.ask(.put, "/large/n.json", body: .bytes(Array("\(number)".utf8)))
            }
            for connection in connections {
                connection.beginReading()
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
                let start = await connection.read(through: "\n\n")
                #expect(start == "event: put\ndata: {\"path\":\"/\",\"data\":\(json)}\n\n")
                for number in 0..<3 {
                    let event = await connection.read(through: "\n\n")
                    #expect(event == "event: put\ndata: {\"path\":\"/n\",\"data\":\(number)}\n\n")
                }
                await connection.close()
            }
            try await eventually { service.server.spool.usedBytes == 0 }
        }
    }

    @Test("A query's stream with a long beginning sends all of it")
    func longQuery() async throws {
        try await withService { service in
            let json = try await fill(service)
            let connection = try await WireConnection(socket: service.socketPath)
            try await connection.send(
                Self.listen.replacing("/large.json", with: "/large.json?orderBy=%22$key%22&limitToFirst=9"))
            #expect(await connection.read(through: "\r\n\r\n") != nil)
            #expect(await connection.read(through: "\n\n") == "event: put\ndata: {\"path\":\"/\",\"data\":\(json)}\n\n")
            await connection.close()
        }
    }
}
