import API
import Client
import Files
import Foundation
import HTTPTypes
import Imaging
import Inbox
import Keeping
import Logging
import NIOCore
import Server
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Bodies of requests: their limits, and 100 Continue", .timeLimit(.minutes(20)))
struct RequestBodyTests {
    @Test(
        "P23, FriendlyPix 10: An upload that is cut in the middle leaves nothing",
        arguments: ["Content-Length: 2001", "Transfer-Encoding: chunked"])
    func cut(framing: String) async throws {
        try await withService { service in
            let part = "07D0\r\n" + String(repeating: "x", count: 1000)
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "POST /v1/uploads?user=maria&text=x HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n\(part)")
                try await service.untilReserved()
            }
            try await service.untilNothingIsUnfinished()
            let incoming = try service.scratch.directory().folder("Storage").folder("incoming")
            try await eventually { try incoming.entries().isEmpty }
            #expect(try await service.client.get("/v1/posts").json["posts"].array.isEmpty)
        }
    }

    @Test("A body with a declared length over the limit is refused before its first byte", arguments: [true, false])
    func announcedTooLong(asksFirst: Bool) async throws {
        try await withService { service in
            let answer = try await WireConnection.with(socket: service.socketPath) { connection in
                let expect = asksFirst ? "Expect: 100-continue\r\n" : ""
                try await connection.send(
                    "POST /v1/uploads?user=maria HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\(expect)\r\n"
                )
                return await connection.read(until: "}")
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
            #expect(answer.contains("too_large_bytes"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("A body within the limits gets 100 Continue at once, and its answer is right")
    func expectContinue() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let socket = service.socketPath
            let answer = try await WireConnection.with(socket: socket) { connection in
                try await connection.send(
                    "POST /v1/uploads?user=maria HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(jpeg.count)\r\n"
                        + "Expect: 100-continue\r\nConnection: close\r\n\r\n")
                #expect(await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                try await connection.send(jpeg)
                return await connection.read(until: "post_id")
            }
            #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"), "\(answer)")
        }
    }

    @Test("A chunked body is refused at the limit, and the answer arrives while it is still being sent")
    func chunkedTooLong() async throws {
        try await withService(change: { $0.limits.maxInputBytes = 1 << 20 }) { service in
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria", body: .stream(byteCount: nil, Zeros(megabytes: 200)))
            #expect(answer.status == 413)
            #expect(answer.json["code"].string == "too_large_bytes")
            #expect(try await service.pipeline.report.status().unfinished.isEmpty)
        }
    }

    @Test("All photos of a form together have a limit of their own")
    func formTooLong() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService(
            change: { $0.limits.maxInputBytes = 3000 }, changeServer: { $0.maxRequestBytes = 5000 }
        ) { service in
            let two = Form().field("user", "maria").photo(jpeg).photo(jpeg)
            let answers = [
                try await service.client.ask(
                    .post, "/v1/uploads", headers: Form.contentType, body: .bytes(two.closed)),
                try await service.client.ask(
                    .post, "/v1/uploads", headers: Form.contentType, body: .bytes(two.photo(jpeg).closed)),
                try await service.client.ask(
                    .post, "/v1/uploads", headers: Form.contentType,
                    body: .bytes(Form().field("user", "maria").photo(jpeg + jpeg).closed)),
            ]
            #expect(answers.map(\.status) == [201, 413, 413])
        }
    }

    // MARK: - TCP
}

/// A body of zeros that is generated as it is sent.
private struct Zeros: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let megabytes: Int

    struct Iterator: AsyncIteratorProtocol {
        var left: Int
        let chunk = ByteBuffer(repeating: 0, count: 1 << 20)

        mutating func next() async throws -> ByteBuffer? {
            guard left > 0 else { return nil }
            left -= 1
            return chunk
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(left: megabytes) }
}
