import Client
import Foundation
import HTTPTypes
import Logging
import Model
import Service
import TestSupport
import Testing
import Tree

@testable import Requests
@testable import Server

@Suite("Storage rules set in the running service", .timeLimit(.minutes(20)))
struct StorageRulesTests {
    /// Rules that let signed-in users read renditions.
    private static let closed = """
        service firebase.storage {
          match /b/{bucket}/o {
            match /{uid}/rendition/{post}/{file} {
              allow get: if request.auth != null;
            }
          }
        }
        """

    @Test("They apply at once: files are closed, and posts have signed addresses")
    func closing() async throws {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"posts": {".read": true}}}"#)
            let (client, tcp) = (service.client, service.tcpClient)
            let upload = try await client.ask(
                .post, "/v1/uploads?user=maria", body: .bytes(try fixture("size-97x61.jpg")))
            let id = try #require(upload.json["post_id"].string)
            let plain = try #require(try await tcp.get("/v1/posts/\(id)").json["thumb_url"].string)
            #expect(try await tcp.get(plain).status == 200)

            let answer = try await client.ask(.put, "/v1/storage-rules", body: .bytes(Array(Self.closed.utf8)))
            #expect(answer.status == 200 && answer.json["renditions_public"].bool == false, "\(answer.text)")
            #expect(try await client.get("/v1/storage-rules").text == Self.closed)
            #expect(try await tcp.get(plain).status == 404)
            #expect(try await tcp.get(plain, headers: try service.headers(of: "noah")).status == 200)
            let signed = try #require(try await tcp.get("/v1/posts/\(id)").json["thumb_url"].string)
            #expect(signed.hasPrefix(plain + "?token=") && signed != plain)
            #expect(try await tcp.get(signed).status == 200)

            // A key that was replaced once is still valid; a compromised one is not.
            #expect(try await client.ask(.post, "/v1/media-keys").status == 200)
            #expect(try await tcp.get(signed).status == 200)
            #expect(try await client.ask(.post, "/v1/media-keys?compromised=true").status == 200)
            #expect(try await tcp.get(signed).status == 404)
            let anew = try #require(try await tcp.get("/v1/posts/\(id)").json["thumb_url"].string)
            #expect(try await tcp.get(anew).status == 200)
        }
    }

    @Test(
        "Signed addresses use the current public address, wherever a post names its photos, and never a foreign one"
    )
    func publicAddress() async throws {
        let origin = "https://photos.example"
        try await withService(changeServer: { $0.publicURL = PublicURL(origin) }) { service in
            try await service.tree.setRules(#"{"rules": {"posts": {".read": true}}}"#)
            _ = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(Self.closed.utf8)))
            let upload = try await service.client.ask(
                .post, "/v1/uploads?user=maria", body: .bytes(try fixture("size-97x61.jpg")))
            let id = try #require(upload.json["post_id"].string)
            let field = PostNodes.post(try #require(PostID(id))) / "thumb_url"
            let stored = try #require(try await service.tree.get(field)?.stringValue)
            #expect(stored.hasPrefix(origin + "/v0/b/") && stored.hasSuffix("?alt=media"))
            let file = try #require(MediaAddress(stored)).fileName
            let name = "maria%2Frendition%2F\(id)%2F\(file)?alt=media"
            for address in [
                stored, "/media/maria/\(id)/\(file)", "https://earlier.example/v0/b/tintype.appspot.com/o/\(name)",
            ] {
                try await service.tree.set(field, to: .string(address))
                let signed = try #require(try await service.tcpClient.get("/v1/posts/\(id)").json["thumb_url"].string)
                #expect(signed.hasPrefix(stored + "&token="), "\(signed)")
                let path = String(signed.dropFirst(origin.count))
                #expect(try await service.tcpClient.get(path).status == 200)
                #expect(try await service.tcpClient.get(path + "x").status == 404)
                #expect(try await service.tcpClient.get(path.replacing(/&token=.*/, with: "")).status == 404)
            }
            for address in [
                "https://photos.example/x.jpg", "/media/eve/\(id)/\(file)", "/media/maria/\(id)/original.jpg",
                stored.replacing("maria%2F", with: "eve%2F"), "https://earlier.example/media/maria/\(id)/\(file)",
            ] {
                try await service.tree.set(field, to: .string(address))
                #expect(try await service.tcpClient.get("/v1/posts/\(id)").json["thumb_url"].string == address)
            }
        }
    }

    @Test(
        "Invalid rules change nothing, and the answer names the position of the error",
        arguments: [("service firebase.storage {", "1:27"), ("", "1:1"), ("service x {}", "1:9")])
    func faults(text: String, place: String) async throws {
        try await withService { service in
            let before = try await service.client.get("/v1/storage-rules").text
            let answer = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(text.utf8)))
            #expect(answer.status == 422 && answer.json["code"].string == "invalid_rules", "\(answer.text)")
            #expect(answer.json["detail"].string?.hasPrefix(place + ": ") == true, "\(answer.text)")
            #expect(try await service.client.get("/v1/storage-rules").text == before)
        }
    }

    @Test("Only admins may use them", arguments: ["/v1/storage-rules", "/v1/media-keys"])
    func admins(path: String) async throws {
        try await withService { service in
            let method: HTTPRequest.Method = path.hasSuffix("keys") ? .post : .put
            let body = Array(Self.closed.utf8)
            for headers in [[:], try service.headers(of: "noah")] {
                let answer = try await service.tcpClient.ask(method, path, headers: headers, body: .bytes(body))
                #expect(answer.status == 403 && answer.json["code"].string == "admin_only", "\(answer.text)")
            }
        }
    }

    @Test("They outlive the service; rules that do not compile any more allow nothing")
    func stored() async throws {
        try await withService { service in
            let logger = Logger(label: "test")
            _ = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(Self.closed.utf8)))
            let next = try StorageRulesStore(in: service.tree, project: "tintype")
            #expect(next.inForce.areRenditionsPublic)
            try await next.load(logger: logger)
            #expect(next.inForce.text == Self.closed && !next.inForce.areRenditionsPublic)

            let path = try #require(try? TreePath("storage_rules", in: Namespace(reserved: "media")))
            try await service.tree.set(path, to: ["version": 2, "text": "service of an older version"])
            try await next.load(logger: logger)
            #expect(next.inForce.version == 2 && !next.inForce.areRenditionsPublic)
            // The flag that posts are created by has the same value, also after an earlier version that did not write
            // it.
            #expect(try await service.tree.get(path / "renditions_public") == false)
            try await next.set(Self.closed)
            #expect(next.inForce.version == 3 && next.inForce.text == Self.closed)
        }
    }

    @Test("One of several concurrent sets remains, in the tree and in force")
    func atOnce() async throws {
        try await withService { service in
            let store = try StorageRulesStore(in: service.tree, project: "tintype")
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask { try await store.set(Self.closed + "\n// \(number)") }
                }
                try await group.waitForAll()
            }
            let next = try StorageRulesStore(in: service.tree, project: "tintype")
            try await next.load(logger: Logger(label: "test"))
            #expect(next.inForce.version == 16 && next.inForce.text == store.inForce.text)
        }
    }
}
