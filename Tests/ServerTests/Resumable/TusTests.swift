import Client
import Cryptography
import Files
import HTTPTypes
import Requests
import Server
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("tus 1.0.0: A photo in several requests becomes a post", .timeLimit(.minutes(20)))
struct TusTests {
    @Test(arguments: [1, 3, 100])
    func aPhotoInPiecesBecomesAPost(count: Int) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let tus = TusClient(client: service.client)
            let metadata = TusClient.metadata([
                "filename": "Lake.jpg", "text": "By the #lake", "alt": "A lake", "filetype": "image/jpeg",
            ])
            let created = try await tus.create(["upload-length": "\(bytes.count)", "upload-metadata": metadata])
            #expect(created.status == 201, "\(created.text)")
            #expect(created.headers[.named("upload-offset")] == "0")
            #expect(created.headers[.named("upload-expires")]?.hasSuffix("GMT") == true)
            let path = try #require(created.headers[.location])
            var offset = 0
            let size = (bytes.count + count - 1) / count
            while offset < bytes.count {
                let piece = Array(bytes[offset..<min(offset + size, bytes.count)])
                let answer = try await tus.patch(path, from: offset, piece)
                #expect(answer.status == 204, "\(answer.text)")
                offset += piece.count
                #expect(answer.headers[.named("upload-offset")] == "\(offset)")
                #expect(answer.headers[.named("tus-resumable")] == "1.0.0")
            }
            let state = try await service.client.get(path).json
            #expect(state["state"].string == "published")
            #expect(state["photos"][0]["sha256"].string == sha256(of: bytes))
            #expect(state["photos"][0]["original_name"].string == "Lake.jpg")
            let post = try await service.client.get(state["post"].string ?? "/").json
            #expect(post["text"].string == "By the #lake")
            #expect(post["photos"][0]["alt"].string == "A lake")
            // A repeated request gets the same result.
            let head = try await tus.send(.head, path)
            #expect(head.status == 200)
            #expect(head.headers[.named("upload-offset")] == "\(bytes.count)")
            #expect(try await tus.patch(path, from: bytes.count, []).status == 204)
            #expect(try await tus.patch(path, from: bytes.count, [1]).status == 413)
            #expect(try await tus.send(.delete, path).status == 409)
        }
    }

    @Test func whileItIsReceivedItsStateSaysHowFarItIs() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let metadata = TusClient.metadata(["name": "x.jpg"])
            let path = try #require(
                try await tus.create(["upload-defer-length": "1", "upload-metadata": metadata]).headers[.location])
            _ = try await tus.patch(path, from: 0, [1, 2, 3])
            let head = try await tus.send(.head, path)
            #expect(head.headers[.named("upload-defer-length")] == "1")
            #expect(head.headers[.named("upload-length")] == nil)
            #expect(head.headers[.named("upload-metadata")] == metadata)
            #expect(head.headers[.cacheControl] == "no-store")
            let state = try await service.client.get(path).json
            #expect(state["state"].string == "receiving")
            #expect(state["received_bytes"].int == 3)
            #expect(state["expected_bytes"] == .null)
            _ = try await tus.patch(path, from: 3, [4], ["upload-length": "10"])
            #expect(try await service.client.get(path).json["expected_bytes"].int == 10)
            #expect(try await tus.patch(path, from: 4, [5], ["upload-length": "11"]).status == 400)
            let status = try await service.client.get("/v1/status").json
            #expect(status["queue"].int == 0)
            #expect(status["uploads"]["receiving"].int == 1)
            #expect(try await service.client.get("/readyz").status == 200)
            #expect(try await tus.send(.delete, path).status == 204)
            #expect(try await tus.send(.head, path).status == 410)
            #expect(try await tus.patch(path, from: 4, [5]).status == 410)
            try await service.untilNothingIsUnfinished()
        }
    }

    @Test("S7: The bytes that arrived before the connection broke are kept, and the next request continues from there")
    func cut() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "\(bytes.count)"]).headers[.location])
            for framing in ["Content-Length: \(bytes.count)", "Transfer-Encoding: chunked"] {
                let offset = try #require(try await tus.offset(path))
                try await WireConnection.with(socket: service.socketPath) { connection in
                    let length = framing.hasPrefix("C") ? bytes.count - offset : 0
                    let head = framing.hasPrefix("C") ? "Content-Length: \(length)" : framing
                    try await connection.send(
                        "PATCH \(path) HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: \(offset)\r\nContent-Type: application/offset+octet-stream\r\n\(head)\r\n\r\n"
                    )
                    let piece = Array(bytes[offset..<offset + 1000])
                    try await connection.send(length > 0 ? piece : Array("3e8\r\n".utf8) + piece)
                    try await service.untilReceived(offset + 1000, at: path)
                }
                #expect(try await tus.offset(path) == offset + 1000)
            }
            let last = try await tus.patch(path, from: 2000, Array(bytes[2000...]))
            #expect(last.status == 204)
            #expect(last.headers[.contentLocation]?.hasPrefix("/v1/posts/") == true)
        }
    }

    @Test("S8: A client that returns ends its stalled request, and keeps its bytes")
    func takenOver() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "100"]).headers[.location])
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "PATCH \(path) HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 100\r\n\r\nabc"
                )
                // A request for the offset would end the other request before its bytes have arrived.
                try await service.untilReceived(3, at: path)
                #expect(try await tus.offset(path) == 3)
                #expect(try await tus.patch(path, from: 3, [1, 2]).status == 204)
                let hanging = try #require(await connection.answer())
                #expect(hanging.status == 409, "\(hanging.text)")
                #expect(hanging.json["code"].string == "taken_over")
            }
            #expect(try await tus.offset(path) == 5)
        }
    }

    // MARK: - Further needs of clients

    @Test func aPhotoMayComeWithItsCreation() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let tus = TusClient(client: service.client)
            let type = ["content-type": "application/offset+octet-stream", "upload-length": "\(bytes.count)"]
            let whole = try await tus.create(type, bytes)
            #expect(whole.status == 201, "\(whole.text)")
            #expect(whole.headers[.named("upload-offset")] == "\(bytes.count)")
            #expect(whole.headers[.location]?.hasPrefix("/v1/uploads/") == true)
            #expect(whole.headers[.contentLocation]?.hasPrefix("/v1/posts/") == true)
            let half = try await tus.create(type, Array(bytes[..<1000]))
            #expect(half.headers[.named("upload-offset")] == "1000")
            let path = try #require(half.headers[.location])
            let rest = try await tus.patch(path, from: 1000, Array(bytes[1000...]))
            #expect(rest.status == 204 && rest.headers[.contentLocation] != nil, "\(rest.text)")
            let empty = try await tus.create(["upload-length": "0"])
            #expect(empty.status == 400, "\(empty.text)")
            #expect(empty.json["code"].string == "empty")
        }
    }

    @Test("A deferred length arrives with the last bytes, or after them", arguments: [true, false])
    func deferredLength(isWithBytes: Bool) async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-defer-length": "1"]).headers[.location])
            let length = ["upload-length": "\(bytes.count)"]
            let first = try await tus.patch(path, from: 0, Array(bytes[..<1000]))
            #expect(first.status == 204 && first.headers[.named("upload-offset")] == "1000", "\(first.text)")
            let rest = try await tus.patch(path, from: 1000, Array(bytes[1000...]), isWithBytes ? length : [:])
            #expect(rest.status == 204, "\(rest.text)")
            let last = isWithBytes ? rest : try await tus.patch(path, from: bytes.count, [], length)
            #expect(last.status == 204, "\(last.text)")
            #expect(last.headers[.contentLocation]?.hasPrefix("/v1/posts/") == true)
            #expect(try await service.client.get(path).json["state"].string == "published")
        }
    }

    @Test("Metadata of other clients is accepted, and its texts for the post are read without padding, too")
    func foreignMetadata() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let metadata = "name bGFrZS5qcGc,text aGk,relativePath !,caption text YQ==,type /w==,,"
            let created = try await TusClient(client: service.client).create(
                [
                    "upload-length": "\(bytes.count)", "upload-metadata": metadata,
                    "content-type": "application/offset+octet-stream",
                ], bytes)
            #expect(created.status == 201, "\(created.text)")
            let state = try await service.client.get(created.headers[.location] ?? "/").json
            #expect(state["photos"][0]["original_name"].string == "lake.jpg")
            #expect(try await service.client.get(state["post"].string ?? "/").json["text"].string == "hi")
        }
    }

    @Test func clientsThatCanSendNoPatchSayItInAHeader() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "10"]).headers[.location])
            let headers = ["content-type": "application/offset+octet-stream", "upload-offset": "0"]
            let patch = headers.merging(["x-http-method-override": "PATCH"]) { $1 }
            #expect(try await tus.send(.post, path, patch, [1, 2]).status == 204)
            #expect(try await tus.send(.post, path, headers, [1, 2]).status == 405)
            #expect(try await tus.offset(path) == 2)
            #expect(try await tus.send(.post, path, ["x-http-method-override": "DELETE"]).status == 204)
        }
    }

    @Test("The supported protocol is described to all clients, and to pages of other origins")
    func options() async throws {
        try await withService(changeServer: { $0.allowedOrigins = .any }) { service in
            let answer = try await service.tcpClient.ask(.options, "/v1/uploads")
            #expect(answer.status == 204)
            #expect(answer.headers[.named("tus-version")] == "1.0.0")
            #expect(
                answer.headers[.named("tus-extension")]
                    == "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination")
            #expect(answer.headers[.named("tus-max-size")].flatMap { Int($0) } ?? 0 > 0)
            #expect(answer.headers[.named("tus-checksum-algorithm")] == "sha1,sha256,md5")
            #expect(answer.headers[.named("accept-patch")]?.contains("application/partial-upload") == true)
            let preflight = try await service.tcpClient.ask(
                .options, "/v1/uploads/x",
                headers: [
                    .origin: "https://photos.example", .accessControlRequestMethod: "PATCH",
                    .accessControlRequestHeaders: "tus-resumable, upload-offset",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
            #expect(preflight.headers[.accessControlAllowHeaders] == "tus-resumable, upload-offset")
            #expect(preflight.headers[.accessControlExposeHeaders]?.contains("Upload-Offset") == true)
        }
    }

    @Test("A key finds an unfinished upload again, with its bytes")
    func keys() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let headers = ["upload-length": "10", "idempotency-key": "k"]
            let path = try #require(try await tus.create(headers).headers[.location])
            _ = try await tus.patch(path, from: 0, [1, 2, 3])
            let again = try await tus.create(headers)
            #expect(again.status == 201)
            #expect(again.headers[.location] == path)
            #expect(again.headers[.named("upload-offset")] == "3")
            #expect(try await tus.create(["upload-length": "11", "idempotency-key": "k"]).status == 422)
        }
    }
}
