import Client
import Files
import Foundation
import HTTPTypes
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Requests
@testable import Server

@Suite("Objects that arrive in several requests", .timeLimit(.minutes(20)))
struct StorageResumableTests {
    private static let name = "u1/full/-P1/a.jpg"

    /// The first request of an SDK: its header fields, the path after the bucket, and its metadata.
    struct Dialect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: @Sendable (StorageClient) -> String
        let headers: @Sendable (Int) -> HTTPFields
        let metadata: String
    }

    static let dialects = [
        Dialect(
            testDescription: "JavaScript", path: { "\($0.root)?name=\(PercentEncoding.encode(name.utf8))" },
            headers: { count in
                [
                    .googUploadProtocol: "resumable", .googUploadCommand: "start",
                    .named("X-Goog-Upload-Header-Content-Length"): "\(count)",
                    .named("X-Goog-Upload-Header-Content-Type"): "image/jpeg",
                    .contentType: "application/json; charset=utf-8",
                ]
            }, metadata: #"{"name":"u1/full/-P1/a.jpg","contentType":"image/jpeg"}"#),
        Dialect(
            testDescription: "iOS", path: { $0.path(name, "uploadType=resumable") },
            headers: { count in
                [
                    .googUploadProtocol: "resumable", .googUploadCommand: "start",
                    .named("X-Goog-Upload-Content-Length"): "\(count)",
                    .named("X-Goog-Upload-Content-Type"): "image/jpeg",
                ]
            }, metadata: ""),
        Dialect(
            testDescription: "Android",
            path: { $0.path(name, "name=\(PercentEncoding.encode(name.utf8))&uploadType=resumable") },
            headers: { _ in
                [
                    .googUploadProtocol: "resumable", .googUploadCommand: "start",
                    .named("X-Goog-Upload-Header-Content-Type"): "image/jpeg",
                ]
            }, metadata: "{}"),
    ]

    private static func start(_ client: StorageClient, _ dialect: Dialect, _ count: Int) async throws -> String {
        let answer = try await client.ask(
            .post, dialect.path(client), dialect.headers(count), body: .bytes(Array(dialect.metadata.utf8)))
        #expect(answer.status == 200 && answer.body.isEmpty, "\(answer.text)")
        #expect(answer.headers[.googUploadStatus] == "active" && answer.headers[.googUploadGranularity] == "262144")
        let url = try #require(answer.headers[.googUploadURL])
        let origin = "http://127.0.0.1:\(client.service.tcpPort)"
        #expect(url.hasPrefix(origin + "/v0/b/"), "the host that the client called: \(url)")
        return String(url.dropFirst(origin.count))
    }

    private static func send(
        _ bytes: some Sequence<UInt8>, at offset: Int, to url: String, _ command: String, by client: StorageClient
    ) async throws -> TestSupport.Answer {
        // The address is sufficient: some clients send no token with the bytes.
        var client = client
        client.headers = [:]
        return try await client.ask(
            .post, url, [.googUploadCommand: command, .googUploadOffset: "\(offset)"], body: .bytes(Array(bytes)))
    }

    @Test(
        "The bytes that arrived over a half-open connection are reported, and the upload continues from there",
        arguments: dialects)
    func halfOpen(_ dialect: Dialect) async throws {
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let url = try await Self.start(client, dialect, bytes.count)
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    "POST \(url) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n"
                        + "X-Goog-Upload-Command: upload, finalize\r\nX-Goog-Upload-Offset: 0\r\n\r\n")
                try await connection.send(bytes[..<2_000_000])
                // A query ends the sending request, which must have begun.
                try await eventually {
                    try service.pipeline.storage.incoming.entries().contains { $0.byteCount > 0 }
                }
                let asked = try await Self.send([], at: 0, to: url, "query", by: client)
                let told = try #require(asked.headers[.googUploadSizeReceived].flatMap { Int($0) })
                #expect(told > 0 && told <= 2_000_000)
                let rest = try await Self.send(bytes[told...], at: told, to: url, "upload, finalize", by: client)
                #expect(rest.status == 200 && rest.headers[.googUploadStatus] == "final", "\(rest.text)")
            }
            let fetched = try await client.bytes(Self.name)
            #expect(fetched.body == bytes)
        }
    }

    @Test("S10: Each SDK's requests work from the beginning to the end", arguments: dialects)
    func dialect(_ dialect: Dialect) async throws {
        let photo = try fixture("exif-gps.jpg")
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let url = try await Self.start(client, dialect, photo.count)
            let half = photo.count / 2
            let first = try await Self.send(photo[..<half], at: 0, to: url, "upload", by: client)
            #expect(first.status == 200 && first.headers[.googUploadStatus] == "active", "\(first.text)")
            #expect(first.headers[.googUploadSizeReceived] == "\(half)")
            let asked = try await Self.send([], at: 0, to: url, "query", by: client)
            #expect(asked.status == 200 && asked.headers[.googUploadSizeReceived] == "\(half)")
            for wrong in [0, half - 1, half + 1] {
                let answer = try await Self.send([1], at: wrong, to: url, "upload", by: client)
                #expect(answer.status == 400 && answer.headers[.googUploadStatus] == "active", "\(answer.text)")
                #expect(answer.headers[.googUploadSizeReceived] == "\(half)")
            }
            let last = try await Self.send(photo[half...], at: half, to: url, "upload, finalize", by: client)
            #expect(last.status == 200 && last.headers[.googUploadStatus] == "final", "\(last.text)")
            #expect(last.json["name"].string == Self.name && last.json["contentType"].string == "image/jpeg")
            #expect(try await client.bytes(Self.name).body == photo)
            // A client that did not get the answer gets it again, with any command.
            for command in ["upload, finalize", "finalize", "query"] {
                let again = try await Self.send(photo[half...], at: half, to: url, command, by: client)
                #expect(again.status == 200 && again.headers[.googUploadStatus] == "final" && again.json == last.json)
            }
            // One request's checksums are those of several.
            let whole = try await client.upload(photo, as: "u1/full/-P1/b.jpg").json
            #expect(whole["md5Hash"].string == last.json["md5Hash"].string)
            #expect(whole["crc32c"].string == last.json["crc32c"].string)
        }
    }

    @Test("An address with another secret, of no upload, or of a cancelled one is 404")
    func secrets() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let url = try await Self.start(client, Self.dialects[0], 10)
            let id = try #require(url.firstMatch(of: /upload_id=([^.&]+)\.([^&]+)/))
            for other in [
                url.replacing("\(id.1).", with: "-OaBcDeFgHiJkLmNoPqR."), url.replacing(".\(id.2)", with: ".x"),
                url.replacing(".\(id.2)", with: ""), url.replacing("\(id.1)", with: ""),
            ] {
                let answer = try await Self.send([], at: 0, to: other, "query", by: client)
                #expect(answer.status == 404, "\(other): \(answer.text)")
            }
            let cancelled = try await Self.send([], at: 0, to: url, "cancel", by: client)
            #expect(cancelled.status == 200 && cancelled.headers[.googUploadStatus] == "cancelled")
            #expect(try await Self.send([], at: 0, to: url, "query", by: client).status == 404)
            try await eventually { try service.pipeline.storage.incoming.names().isEmpty }
        }
    }

    @Test("S11: The rules are checked at the beginning, and again at the end, with the identity of the first request")
    func rules() async throws {
        try await withService { service in
            let (owner, other) = (try StorageClient(service, as: "u1"), try StorageClient(service, as: "u2"))
            for dialect in Self.dialects {
                let answer = try await other.ask(
                    .post, dialect.path(other), dialect.headers(10), body: .bytes(Array(dialect.metadata.utf8)))
                #expect(answer.status == 403, "\(answer.text)")
                #expect(answer.json["error"]["message"].string == "Permission denied. No WRITE permission.")
            }
            let large = try await owner.ask(
                .post, Self.dialects[0].path(owner), Self.dialects[0].headers(5 << 20), body: .bytes(Array("{}".utf8)))
            #expect(large.status == 403, "5 MiB is too much by the rules")

            let url = try await Self.start(owner, Self.dialects[2], 0)
            #expect(try await Self.send([1], at: 0, to: url, "upload", by: owner).status == 200)
            let closed = "service firebase.storage { match /b/{b}/o { match /{a=**} { allow read; } } }"
            _ = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(closed.utf8)))
            let last = try await Self.send([2], at: 1, to: url, "upload, finalize", by: owner)
            #expect(last.status == 403 && last.headers[.googUploadStatus] == "final", "\(last.text)")
            #expect(try await Self.send([], at: 0, to: url, "query", by: owner).status == 404)
            #expect(try await owner.metadata(Self.name).status == 404)
        }
    }

    @Test(
        "Malformed requests, and bytes beyond the declared length, are refused",
        arguments: [
            ("upload", "x", 400), ("upload", "-1", 400), ("upload", nil, 400), ("nonsense", "0", 400),
            ("upload, cancel", "0", 400), ("", "0", 400),
        ] as [(String, String?, Int)])
    func bad(command: String, offset: String?, status: Int) async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let url = try await Self.start(client, Self.dialects[0], 10)
            var headers: HTTPFields = [.googUploadCommand: command]
            headers[.googUploadOffset] = offset
            let answer = try await client.ask(.post, url, headers, body: .bytes([1]))
            #expect(answer.status == status, "\(answer.text)")
            #expect(
                try await Self.send(Array(repeating: 1, count: 11), at: 0, to: url, "upload", by: client).status == 413)
            #expect(try await Self.send([1, 2], at: 0, to: url, "upload, finalize", by: client).status == 400)
            #expect(try await client.metadata(Self.name).status == 404)
        }
    }

    @Test("The other form: Location, Content-Range, and 308 until all bytes have arrived")
    func ranged() async throws {
        let photo = try fixture("exif-gps.jpg")
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let begun = try await client.ask(
                .post, "\(client.root)?uploadType=resumable&name=\(PercentEncoding.encode(Self.name.utf8))",
                [.contentType: "application/json", .named("X-Upload-Content-Type"): "image/jpeg"],
                body: .bytes(Array(#"{"metadata":{"k":"v"}}"#.utf8)))
            #expect(begun.status == 200, "\(begun.text)")
            let url = try #require(begun.headers[.location]?.firstMatch(of: /\/v0\/.*/)?.0).description
            let half = photo.count / 2
            let ranges = [("bytes */\(photo.count)", 0..<0), ("bytes 0-\(half - 1)/\(photo.count)", 0..<half)]
            for (range, part) in ranges {
                let answer = try await client.ask(
                    .put, url, [.contentRange: range], body: .bytes(Array(photo[part])))
                #expect(answer.status == 308, "\(answer.text)")
                #expect(answer.headers[.range] == (part.isEmpty ? nil : "bytes=0-\(half - 1)"))
            }
            for wrong in ["bytes 5-4/9", "bytes 0-9/5", "lines 0-1/2", "bytes 0-1", "bytes a-b/c"] {
                #expect(try await client.ask(.put, url, [.contentRange: wrong], body: .bytes([1])).status == 400)
            }
            let last = try await client.ask(
                .put, url, [.contentRange: "bytes \(half)-\(photo.count - 1)/\(photo.count)"],
                body: .bytes(Array(photo[half...])))
            #expect(last.status == 200 && last.json["metadata"]["k"].string == "v", "\(last.text)")
            #expect(try await client.bytes(Self.name).body == photo)
        }
    }

    @Test("S10: A query of the state finishes an object after a crash between the last byte and the object")
    func endAfterCrash() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let begun = try await client.ask(
                .post, "\(client.root)?uploadType=resumable&name=\(PercentEncoding.encode(Self.name.utf8))",
                [.named("X-Upload-Content-Type"): "image/jpeg"])
            let url = try #require(begun.headers[.location]?.firstMatch(of: /\/v0\/.*/)?.0).description
            let id = try #require(url.firstMatch(of: /upload_id=([^.&]+)/).flatMap { PostID(String($0.1)) })
            try await service.pipeline.objects.files.withFile(id) { session in
                var rest = [ByteBuffer(string: "abc")]
                try await session.receive(isLast: true) { rest.popLast() }
            }
            // Firebase's SDKs then send the command to finalize.
            let asked = try await Self.send([], at: 0, to: url, "query", by: client)
            #expect(asked.headers[.googUploadStatus] == "active" && asked.headers[.googUploadSizeReceived] == "3")
            // A client that uses Content-Range has no bytes left to send.
            let last = try await client.ask(.put, url, [.contentRange: "bytes */3"])
            #expect(last.status == 200 && last.json["size"].string == "3", "\(last.status) \(last.text)")
            #expect(try await client.bytes(Self.name).body == Array("abc".utf8))
        }
    }

    @Test("Header names have the letters that the Android SDK reads, and no others")
    func letters() async throws {
        try await withService { service in
            let client = try StorageClient(service, as: "u1")
            let token = client.headers[.authorization] ?? ""
            let request = [
                "POST \(client.root)?name=u1%2Ffull%2FP%2Fx&uploadType=resumable HTTP/1.1", "Host: 127.0.0.1",
                "Authorization: \(token)", "X-Goog-Upload-Protocol: resumable", "X-Goog-Upload-Command: start",
                "X-Goog-Upload-Header-Content-Type: image/jpeg", "Content-Length: 0", "Connection: close", "", "",
            ]
            let text = try await WireConnection.with(port: service.tcpPort) { wire in
                try await wire.send(request.joined(separator: "\r\n"))
                return await wire.readToEnd()
            }
            for name in ["X-Goog-Upload-URL: ", "X-Goog-Upload-Status: active"] {
                #expect(text.contains("\r\n\(name)"), "\(text)")
            }
        }
    }
}
