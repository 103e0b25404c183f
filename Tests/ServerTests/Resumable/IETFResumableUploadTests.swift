import Client
import Files
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Resumable Uploads for HTTP: the protocol of URLSession", .timeLimit(.minutes(20)))
struct IETFResumableUploadTests {
    /// The header fields of a version, as its clients send them.
    private static func fields(_ version: Int?, isComplete: Bool) -> String {
        let completeness =
            version == 3 ? "Upload-Incomplete: ?\(isComplete ? 0 : 1)" : "Upload-Complete: ?\(isComplete ? 1 : 0)"
        return completeness + (version.map { "\r\nUpload-Draft-Interop-Version: \($0)" } ?? "")
    }

    private static func head(_ line: String, _ fields: String, length: Int) -> String {
        "\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static func path(_ location: String?) throws -> String {
        let location = try #require(location)
        let start = try #require(location.range(of: "/v1/"))
        return String(location[start.lowerBound...])
    }

    @Test(
        "An uninterrupted upload becomes a post, and its client gets the address for resuming", arguments: [3, 5, 6, 8])
    func whole(version: Int) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            try await WireConnection.with(socket: service.socketPath) { connection in
                let fields = Self.fields(version, isComplete: true)
                try await connection.send(
                    Self.head("POST /v1/uploads?user=maria&text=x", fields, length: bytes.count))
                let interim = try #require(await connection.answer())
                #expect(interim.status == 104)
                #expect(interim.headers[.named("upload-draft-interop-version")] == "\(version)")
                #expect(interim.headers[.named("upload-limit")]?.contains("max-size=") == true)
                let path = try Self.path(interim.headers[.location])
                try await connection.send(bytes)
                let answer = try #require(await connection.answer())
                #expect(answer.status == 201, "\(answer.text)")
                let name = version == 3 ? "upload-incomplete" : "upload-complete"
                #expect(answer.headers[.named(name)] == (version == 3 ? "?0" : "?1"))
                #expect(answer.json["post"]["text"].string == "x")
                #expect(answer.headers[.location] == "/v1/posts/\(answer.json["post_id"].string ?? "")")
                #expect(path == "/v1/uploads/\(answer.json["post_id"].string ?? "")")
            }
        }
    }

    @Test(
        "S7: A disconnected client requests its offset, continues, and gets the answer of the first request",
        arguments: [3, 6])
    func resumed(version: Int) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let path = try await WireConnection.with(socket: service.socketPath) { connection in
                let fields = Self.fields(version, isComplete: true)
                try await connection.send(Self.head("PUT /v1/uploads?user=maria", fields, length: bytes.count))
                let path = try Self.path(await connection.answer()?.headers[.location])
                try await connection.send(bytes[..<1000])
                try await eventually {
                    try await service.client.get(path).json["state"].string == "receiving"
                        && service.scratch.exists("Storage/incoming/\(path.dropFirst(12)).partial")
                }
                return path
            }
            var headers: HTTPFields = [.named("upload-draft-interop-version"): "\(version)"]
            let (offset, standing) = try await Self.standing(service, path, headers)
            #expect(standing.status == 204)
            #expect(standing.headers[.named("upload-length")] == "\(bytes.count)")
            #expect(
                standing.headers[.named(version == 3 ? "upload-incomplete" : "upload-complete")]
                    == (version == 3 ? "?1" : "?0"))
            headers[.named(version == 3 ? "upload-incomplete" : "upload-complete")] = version == 3 ? "?0" : "?1"
            headers[.named("upload-offset")] = "\(offset)"
            headers[.contentType] = "application/partial-upload"
            let last = try await service.client.ask(
                .patch, path, headers: headers, body: .bytes(Array(bytes[offset...])))
            #expect(last.status == 201, "\(last.text)")
            #expect(last.json["post_id"].string == String(path.dropFirst("/v1/uploads/".count)))
            let end = try await Self.standing(service, path, headers)
            #expect(end.0 == bytes.count)
            // The answer was lost: it is sent again, to the same request and to one without bytes.
            let repeated = try await service.client.ask(
                .patch, path, headers: headers, body: .bytes(Array(bytes[offset...])))
            #expect(repeated.status == 201, "\(repeated.text)")
            #expect(repeated.json["post_id"] == last.json["post_id"])
            headers[.named("upload-offset")] = "1"
            let other = try await service.client.ask(.patch, path, headers: headers, body: .bytes([1]))
            #expect(other.status == 409, "\(other.text)")
            #expect(
                other.headers[.named(version == 3 ? "upload-incomplete" : "upload-complete")]
                    == (version == 3 ? "?0" : "?1"))
            headers[.named("upload-offset")] = "\(bytes.count)"
            let again = try await service.client.ask(.patch, path, headers: headers)
            #expect(again.status == 201, "\(again.text)")
            #expect(again.json["post_id"] == last.json["post_id"])
        }
    }

    @Test("A repeated last request has as many bytes as the first, or is refused")
    func repeatedInChunks() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let headers: HTTPFields = [
                .named("upload-complete"): "?0", .named("upload-draft-interop-version"): "6",
            ]
            let created = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(Array(bytes[..<10])))
            let path = try Self.path(created.headers[.location])
            func answer(_ rest: [UInt8], waiting: Bool = false) async throws -> Answer? {
                try await WireConnection.with(socket: service.socketPath) { connection in
                    try await connection.send(
                        "PATCH \(path) HTTP/1.1\r\nHost: localhost\r\nUpload-Complete: ?1\r\nUpload-Offset: 10\r\n"
                            + "Upload-Length: \(bytes.count)\r\nContent-Type: application/partial-upload\r\n"
                            + (waiting ? "Expect: 100-continue\r\n" : "") + "Transfer-Encoding: chunked\r\n\r\n")
                    if waiting { return await connection.answer() }
                    try await connection.send("\(String(rest.count, radix: 16))\r\n")
                    try await connection.send(rest)
                    // A body that is too long is refused before its end, and the connection closed.
                    try? await connection.send("\r\n0\r\n\r\n")
                    return await connection.answer()
                }
            }
            let rest = Array(bytes[10...])
            let first = try await answer(rest)
            #expect(first?.status == 201, "\(first?.text ?? "-")")
            for (again, status) in [(rest, 201), (rest + [1], 413), (rest.dropLast(), 409)] {
                let answer = try await answer(Array(again))
                #expect(answer?.status == status, "\(again.count): \(answer?.text ?? "-")")
            }
            #expect(try await answer(rest, waiting: true)?.status == 201, "nobody asks for the bytes")
        }
    }

    private static func standing(
        _ service: Service, _ path: String, _ headers: HTTPFields
    ) async throws -> (Int, Answer) {
        let answer = try await service.client.ask(.head, path, headers: headers)
        return (try #require(answer.headers[.named("upload-offset")].flatMap { Int($0) }), answer)
    }

    @Test("A photo may arrive in parts that are not marked as the last")
    func parts() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            var headers: HTTPFields = [
                .named("upload-draft-interop-version"): "6", .named("upload-complete"): "?0",
                .named("upload-length"): "\(bytes.count)",
            ]
            let created = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(Array(bytes[..<10])))
            #expect(created.status == 201, "\(created.text)")
            #expect(created.headers[.named("upload-complete")] == "?0")
            let path = try Self.path(created.headers[.location])
            headers[.contentType] = "application/partial-upload"
            headers[.named("upload-offset")] = "10"
            let appended = try await service.client.ask(
                .patch, path, headers: headers, body: .bytes(Array(bytes[10...])))
            #expect(appended.status == 204)
            #expect(appended.headers[.named("upload-complete")] == "?0")
            headers[.named("upload-offset")] = "\(bytes.count)"
            headers[.named("upload-complete")] = "?1"
            let last = try await service.client.ask(.patch, path, headers: headers)
            #expect(last.status == 201, "\(last.text)")
        }
    }

    @Test("Without the header field, a client gets no interim response", arguments: [nil, 2, 9] as [Int?])
    func noInterim(version: Int?) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    Self.head(
                        "POST /v1/uploads?user=maria", Self.fields(version, isComplete: true), length: bytes.count))
                try await connection.send(bytes)
                let answer = try #require(await connection.answer())
                #expect(answer.status == 201, "\(answer.text)")
                #expect(answer.headers[.named("upload-complete")] == "?1")
            }
            // Neither does a client of HTTP/1.0.
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "POST /v1/uploads?user=maria HTTP/1.0\r\n\(Self.fields(6, isComplete: true))\r\nContent-Length: \(bytes.count)\r\n\r\n"
                )
                try await connection.send(bytes)
                #expect(await connection.answer()?.status == 201)
            }
        }
    }

    @Test(
        "Other requests are plain uploads", arguments: ["Upload-Complete: yes", "Upload-Complete: 1", "X: y"])
    func oneShot(field: String) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    Self.head(
                        "POST /v1/uploads?user=maria", "\(field)\r\nUpload-Draft-Interop-Version: 6",
                        length: bytes.count))
                try await connection.send(bytes)
                let answer = try #require(await connection.answer())
                #expect(answer.status == 201, "\(answer.text)")
                #expect(answer.headers[.named("upload-complete")] == nil)
            }
        }
    }

    @Test("Problems have the types of the protocol")
    func problems() async throws {
        try await withService { service in
            let started: HTTPFields = [.named("upload-complete"): "?0", .named("upload-length"): "100"]
            let created = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: started, body: .bytes([1, 2, 3]))
            let path = try Self.path(created.headers[.location])
            let type = "application/partial-upload"
            let cases: [(String, String, complete: String, String, [UInt8], Int, String?)] = [
                ("2", type, "?0", "6", [9], 409, "mismatching-upload-offset"),
                ("3", type, "?1", "6", [9], 400, "inconsistent-upload-length"),
                ("3", "image/jpeg", "?0", "6", [9], 415, nil), ("3", type, "no", "6", [9], 400, nil),
                ("x", type, "?0", "6", [9], 400, nil), ("3", type, "?0", "6", Array(repeating: 1, count: 98), 413, nil),
            ]
            for (offset, type, complete, version, bytes, status, problem) in cases {
                let headers: HTTPFields = [
                    .named("upload-offset"): offset, .contentType: type, .named("upload-complete"): complete,
                    .named("upload-draft-interop-version"): version,
                ]
                let answer = try await service.client.ask(.patch, path, headers: headers, body: .bytes(bytes))
                #expect(answer.status == status, "\(answer.text)")
                let expected = problem.map { "https://iana.org/assignments/http-problem-types#\($0)" }
                #expect(answer.json["type"].string == expected ?? "about:blank")
                if status == 409 {
                    #expect(answer.json["expected-offset"].int == 3)
                    #expect(answer.json["provided-offset"].int == 2)
                    #expect(answer.headers[.named("upload-offset")] == "3")
                    #expect(answer.headers[.named("upload-complete")] == "?0")
                }
            }
            #expect(try await service.client.ask(.delete, path).status == 204)
            #expect(try await service.client.ask(.delete, path).status == 410)
        }
    }

    @Test("A file that is not a photo is refused, and a resumed request does not change that")
    func noPhoto() async throws {
        try await withService { service in
            let headers: HTTPFields = [.named("upload-complete"): "?1"]
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(Array("no photo".utf8)))
            #expect(answer.status == 415, "\(answer.text)")
            #expect(answer.headers[.named("upload-complete")] == "?1")
        }
    }

    @Test("A repeated key with the whole photo is the same upload, however much of the first request arrived")
    func keys() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            var headers: HTTPFields = [.named("upload-complete"): "?0", .named("idempotency-key"): "k"]
            headers[.named("upload-length")] = "\(bytes.count)"
            let first = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(Array(bytes[..<100])))
            let path = try Self.path(first.headers[.location])
            headers[.named("upload-complete")] = "?1"
            headers[.named("upload-length")] = nil
            let whole = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(bytes))
            #expect(whole.status == 201, "\(whole.text)")
            #expect(path == "/v1/uploads/\(whole.json["post_id"].string ?? "")")
            let again = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(bytes))
            #expect(again.json["post_id"] == whole.json["post_id"])
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
            let other = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: headers, body: .bytes(try fixture("size-97x61.jpg")))
            #expect(other.status == 422, "\(other.text)")
        }
    }
}
