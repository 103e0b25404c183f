import Client
import Database
import Files
import Foundation
import HTTPTypes
import Imaging
import Requests
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Server

@Suite("Refusals of the bucket", .timeLimit(.minutes(20)))
struct StorageRefusalTests {
    private static let name = "u1/full/-P1/a.jpg"

    @Test("S11: Users cannot write, replace, change, delete or list the objects of others")
    func strangers() async throws {
        let photo = try fixture("size-97x61.jpg")
        try await withService { service in
            let owner = try StorageClient(service, as: "u1")
            #expect(try await owner.upload(photo, as: Self.name).status == 200)
            let before = try await owner.metadata(Self.name).json
            for stranger in [try StorageClient(service, as: "u"), try StorageClient(service)] {
                let path = stranger.path(Self.name)
                let answers = [
                    (try await stranger.upload([1], as: Self.name), "WRITE"),
                    (try await stranger.upload([1], as: "u1/full/-P1/b.jpg"), "WRITE"),
                    (try await stranger.ask(.patch, path, body: .bytes(Array("{}".utf8))), "WRITE"),
                    (try await stranger.ask(.delete, path), "WRITE"),
                    (try await stranger.list("prefix=u1/&delimiter=/"), "LIST"),
                    // These do not lead to the folder of "u".
                    (try await stranger.list("prefix=u"), "LIST"), (try await stranger.list(""), "LIST"),
                ]
                for (answer, permission) in answers {
                    #expect(answer.status == 403, "\(answer.text)")
                    #expect(
                        answer.json["error"]["message"].string == "Permission denied. No \(permission) permission.")
                }
            }
            #expect(try await owner.metadata(Self.name).json == before)
            #expect(try await owner.list("prefix=u1/&delimiter=/").listed == ["u1/full/"])
        }
    }

    @Test(
        "Malformed bodies and malformed metadata leave nothing behind",
        arguments: [
            ("multipart/related", "x", 400), ("multipart/related; boundary=b", "", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n{}\r\n--b--", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n{}\r\n--b\r\n\r\nbytes", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n{\r\n--b\r\n\r\nx\r\n--b--", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n[]\r\n--b\r\n\r\nx\r\n--b--", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n{\"metadata\":{\"k\":1}}\r\n--b\r\n\r\nx\r\n--b--", 400),
            ("multipart/related; boundary=b", "--b\r\n\r\n{\"contentType\":7}\r\n--b\r\n\r\nx\r\n--b--", 400),
            (
                "multipart/related; boundary=b",
                "--b\r\n\r\n{\"contentType\":\"a\\r\\nX: y\"}\r\n--b\r\n\r\nx\r\n--b--", 400
            ),
            ("multipart/related; boundary=b", "--b\r\n\r\n{}\r\n--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--", 400),
        ])
    func bodies(type: String, body: String, status: Int) async throws {
        try await withService { service in
            let client = try StorageClient(service)
            let answer = try await service.client.ask(
                .post, "\(client.root)?name=x", headers: [.contentType: type], body: .bytes(Array(body.utf8)))
            #expect(answer.status == status && answer.json["error"]["code"].int == status, "\(answer.text)")
            #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
            #expect(try await service.client.get("\(client.root)?prefix=").listed.isEmpty)
            #expect(try await service.pipeline.storage.blobs.userIDs().isEmpty)
            try await eventually { try service.pipeline.storage.incoming.names().isEmpty }
        }
    }

    @Test("Custom metadata has a limit, and so has an object's size")
    func limits() async throws {
        try await withService(change: { $0.limits.maxInputBytes = 100_000 }) { service in
            let client = try StorageClient(service, as: "u1")
            let long = String(repeating: "x", count: ObjectMetadata.maxCustomBytes)
            #expect(try await client.upload([1], as: Self.name, #"{"metadata":{"k":"\#(long)"}}"#).status == 400)
            #expect(try await client.upload(Array(repeating: 1, count: 100_001), as: Self.name).status == 413)
            #expect(try await client.upload(Array(repeating: 1, count: 400_000), as: Self.name).status == 413)
            #expect(try await client.upload(Array(repeating: 1, count: 100_000), as: Self.name).status == 200)
        }
    }

    @Test("The rules' limit of the size is exact, and is checked before the bytes arrive where the size is declared")
    func ruledSize() async throws {
        let rules = """
            service firebase.storage { match /b/{b}/o { match /{n} { allow write: if request.resource.size < 1000; } } }
            """
        try await withService { service in
            _ = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(rules.utf8)))
            let client = try StorageClient(service)
            for (count, status) in [(0, 200), (999, 200), (1000, 403), (500_000, 403)] {
                let answer = try await client.upload(Array(repeating: 7, count: count), as: "x")
                #expect(answer.status == status, "\(count): \(answer.text)")
            }
        }
    }

    @Test(
        "Invalid addresses get 404 or 400, and do not reach other applications",
        arguments: [
            ("/v0/b/other.appspot.com/o/x", 404), ("/v0/b/", 404), ("/v0/b/tintype.appspot.com", 404),
            ("/v0/b/tintype.appspot.com/x", 404), ("/v0/b/tintype.appspot.com/o/%FF", 404),
            ("/v0/b/tintype.appspot.com/o/a%0Ab", 400), ("/v0/b/tintype.appspot.com/o/..", 400),
            ("/v0/b/tintype.appspot.com/o/x.json", 404), ("/v0/b/tintype.appspot.com/o?maxResults=0", 400),
            ("/v0/b/tintype.appspot.com/o?prefix=%FF", 400),
            ("/v0/b/tintype.appspot.com/o/\(String(repeating: "x", count: 1025))", 400),
            ("/v0/b/tintype.firebasestorage.app/o/x", 404),
        ])
    func addresses(path: String, status: Int) async throws {
        try await withService { service in
            let answer = try await service.client.get(path)
            #expect(answer.status == status && answer.json["error"]["code"].int == status, "\(answer.text)")
        }
    }

    @Test("A bad token is 401 in the SDKs' form; any bucket name is the emulator's one")
    func tokens() async throws {
        try await withService { service in
            let client = try StorageClient(service)
            let answer = try await client.ask(.get, client.path("x"), [.authorization: "Firebase nonsense"])
            #expect(answer.status == 401 && answer.json["error"]["code"].int == 401, "\(answer.text)")
        }
        try await withService(changeServer: { $0.database.isEmulator = true }) { service in
            var client = try StorageClient(service)
            client.bucket = "demo-project.appspot.com"
            client.headers[.authorization] = "Firebase owner"
            let answer = try await client.upload([1], as: "any/where")
            #expect(answer.status == 200 && answer.json["bucket"].string == client.bucket, "\(answer.text)")
            client.headers[.authorization] = "Firebase \(Service.mockToken(of: "u1"))"
            #expect(try await client.upload([1], as: "u1/full/-P1/x").status == 200)
            #expect(try await client.upload([1], as: "u2/full/-P1/x").status == 403)
        }
    }

    @Test("S14: Pages of other origins send preflight requests, and may read the fields that they need")
    func origins() async throws {
        let page = "https://photos.example"
        try await withService(changeServer: { $0.allowedOrigins = .these([page]) }) { service in
            let client = try StorageClient(service, as: "u1")
            for (origin, isAllowed) in [(page, true), ("https://evil.example", false)] {
                let asked = try await client.ask(
                    .options, client.root,
                    [
                        .origin: origin, .accessControlRequestMethod: "POST",
                        .accessControlRequestHeaders: "x-goog-upload-protocol,authorization",
                    ])
                #expect(asked.headers[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
                guard isAllowed else { continue }
                #expect(asked.status == 204)
                #expect(asked.headers[.accessControlAllowHeaders] == "x-goog-upload-protocol,authorization")
                #expect(asked.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
                #expect(asked.headers[.accessControlExposeHeaders]?.contains("X-Goog-Upload-URL") == true)
                #expect(asked.headers[.accessControlAllowCredentials] == nil)
            }
        }
    }
}
