import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("tus 1.0.0: Refusals leave the upload as it was", .timeLimit(.minutes(20)))
struct TusRefusalTests {
    @Test(
        "A malformed request is refused before an upload is created",
        arguments: [
            ([:], 400, "bad_request"), (["upload-length": "-1"], 400, "bad_request"),
            (["upload-length": "1x"], 400, "bad_request"), (["upload-length": "9999999999999999"], 400, "bad_request"),
            (["upload-defer-length": "2"], 400, "bad_request"),
            (["upload-length": "999999999999999"], 413, "too_large_bytes"),
            (["upload-length": "1", "upload-metadata": "text /w=="], 400, "bad_request"),
            (["upload-length": "1", "upload-metadata": "audiences a b"], 400, "bad_request"),
            (["upload-length": "1", "upload-metadata": "audiences YQ==,audiences YQ=="], 400, "bad_request"),
            (["upload-length": "1", "upload-metadata": "user bm9haA=="], 400, "bad_request"),
            (["upload-length": "1", "upload-concat": "partial"], 400, "bad_request"),
            (["upload-concat": "final;/v1/uploads/a /v1/uploads/b"], 400, "bad_request"),
            (["upload-length": "1", "tus-resumable": "0.2.2"], 412, "protocol_version"),
        ] as [([String: String], Int, String)])
    func refusedCreation(headers: [String: String], status: Int, code: String) async throws {
        try await withService { service in
            let answer = try await TusClient(client: service.client).create(headers)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.json["code"].string == code)
            #expect(answer.headers[.named("tus-resumable")] == "1.0.0")
            #expect(status != 412 || answer.headers[.named("tus-version")] == "1.0.0")
            try await service.untilNothingIsUnfinished()
        }
    }

    @Test("Bytes that cannot be added are refused, and the offset stays the same")
    func refusedBytes() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "10"]).headers[.location])
            _ = try await tus.patch(path, from: 0, [1, 2, 3])
            let cases: [(offset: String, type: String, [UInt8], Int, String)] = [
                ("2", "application/offset+octet-stream", [9], 409, "wrong_offset"),
                ("4", "application/offset+octet-stream", [9], 409, "wrong_offset"),
                ("x", "application/offset+octet-stream", [9], 400, "bad_request"),
                ("3", "image/jpeg", [9], 415, "unsupported_type"),
                ("3", "application/offset+octet-stream", Array(repeating: 9, count: 8), 413, "too_many_bytes"),
            ]
            for (offset, type, bytes, status, code) in cases {
                let answer = try await tus.patch(
                    path, from: 0, bytes, ["upload-offset": offset, "content-type": type])
                #expect(answer.status == status, "\(answer.text)")
                #expect(answer.json["code"].string == code)
                #expect(code != "wrong_offset" || answer.headers[.named("upload-offset")] == "3")
                #expect(try await tus.offset(path) == 3)
            }
        }
    }

    @Test("S8: Bytes that cannot be added do not end a request in progress")
    func refusedBesideASender() async throws {
        try await withService { service in
            let bytes = try fixture(TusClient.photo)
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "\(bytes.count)"]).headers[.location])
            try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "PATCH \(path) HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: \(bytes.count)\r\n\r\n"
                )
                try await connection.send(Array(bytes[..<1000]))
                try await service.untilReceived(1000, at: path)
                let cases: [([String: String], [UInt8], Int, String)] = [
                    (["upload-offset": "7"], [9], 409, "wrong_offset"),
                    (["upload-offset": "1000"], [9], 409, "wrong_offset"),
                    (["upload-length": "1"], [9], 400, "length_changed"),
                    ([:], Array(repeating: 9, count: bytes.count + 1), 413, "too_many_bytes"),
                    (["upload-checksum": "crc32 AAAA"], [9], 400, "bad_request"),
                ]
                for (headers, piece, status, code) in cases {
                    let answer = try await tus.patch(path, from: 0, piece, headers)
                    #expect(answer.status == status, "\(answer.text)")
                    #expect(answer.json["code"].string == code)
                    #expect(code != "wrong_offset" || answer.headers[.named("upload-offset")] == "0")
                }
                try await connection.send(Array(bytes[1000...]))
                let answer = try #require(await connection.answer())
                #expect(answer.status == 204, "\(answer.text)")
                #expect(answer.headers[.contentLocation]?.hasPrefix("/v1/posts/") == true)
            }
        }
    }

    @Test("The bytes of a request with a wrong checksum are dropped")
    func checksums() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let path = try #require(try await tus.create(["upload-length": "9"]).headers[.location])
            // The digests of "abc" (RFC 3174, RFC 1321, FIPS 180-4).
            let digests = [
                "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "md5 kAFQmDzST7DWlj99KOF/cg==",
                "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
            ]
            for (count, digest) in digests.enumerated() {
                let wrong = try await tus.patch(path, from: 3 * count, Array("abd".utf8), ["upload-checksum": digest])
                #expect(wrong.status == 460, "\(wrong.text)")
                #expect(try await tus.offset(path) == 3 * count)
                if count < 2 {
                    let right = try await tus.patch(
                        path, from: 3 * count, Array("abc".utf8), ["upload-checksum": digest])
                    #expect(right.status == 204, "\(right.text)")
                }
            }
            for field in ["crc32 AAAA", "sha1", "sha1 !"] {
                #expect(try await tus.patch(path, from: 6, [1], ["upload-checksum": field]).status == 400)
            }
            #expect(try await tus.offset(path) == 6)
        }
    }

    @Test("A file that is not a photo is refused with its last byte, and a repeated request gets the same answer")
    func noPhoto() async throws {
        try await withService { service in
            let tus = TusClient(client: service.client)
            let created = try await tus.create(
                ["upload-length": "9", "content-type": "application/offset+octet-stream"], Array("no photo!".utf8))
            #expect(created.status == 415, "\(created.text)")
            let path = try #require(try await tus.create(["upload-length": "9"]).headers[.location])
            #expect(try await tus.patch(path, from: 0, Array("no photo!".utf8)).status == 415)
            #expect(try await tus.send(.head, path).status == 415)
            #expect(try await tus.patch(path, from: 9, []).status == 415)
            #expect(try await service.client.get(path).json["state"].string == "failed")
            try await service.untilNothingIsUnfinished()
        }
    }

    @Test("An upload is its sender's: for others it does not exist")
    func others() async throws {
        try await withService { service in
            var maria = TusClient(client: service.tcpClient)
            maria.path = "/v1/uploads"
            var headers: [String: String] = ["upload-length": "10"]
            for field in try service.headers(of: "maria") { headers[field.name.canonicalName] = field.value }
            let path = try #require(try await maria.create(headers).headers[.location])
            for field in try service.headers(of: "noah") { headers[field.name.canonicalName] = field.value }
            for method in [HTTPRequest.Method.head, .delete] {
                #expect(try await maria.send(method, path, headers).status == 404)
            }
            #expect(try await maria.patch(path, from: 0, [1], headers).status == 404)
            #expect(try await maria.patch(path, from: 0, [1]).status == 404)
            #expect(try await maria.create(["upload-length": "10"]).status == 401)
        }
    }
}
