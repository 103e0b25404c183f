import Access
import Client
import Cryptography
import Database
import Foundation
import HTTPTypes
import Keeping
import Model
import Server
import Service
import TestSupport
import Testing
import Tree
import TreeModel
import Uploads

@Suite("Deletion of posts and of unclaimed files", .timeLimit(.minutes(20)))
struct DeletionTests {
    @Test("A token with the admin claim deletes the posts of others, where the rules permit it; other tokens do not")
    func byClaim() async throws {
        try await withService { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)"
            for claims: [String: JSONValue] in [[:], ["admin": false], ["admin": "true"], ["editor": true]] {
                let headers = try service.headers(of: "ruth", claims)
                #expect(try await service.tcpClient.ask(.delete, path, headers: headers).status == 403)
            }
            let admin = try service.headers(of: "ruth", ["admin": true])
            #expect(try await service.tcpClient.ask(.delete, path, headers: admin).status == 200)
            #expect(try await service.client.get(path).status == 404)
        }
    }

    @Test("K9, 33, 34: A post is deleted with all that lists it, in one change; a second deletion finds none")
    func deleted() async throws {
        try await withService { service in
            let id = try await service.client.post("hello%20%23sun%20%23sea") ?? ""
            let other = try await service.client.post("hello%20%23sun") ?? ""
            for path in ["/comments/\(id)/c", "/likes/\(id)/jan"] {
                let answer = try await service.client.ask(.put, "\(path).json", body: .bytes(Array("1".utf8)))
                #expect(answer.status == 200)
            }
            try await service.finishJobs()
            let token = try await service.tree.snapshot { try $0.token }
            let answer = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["post_id"].string == id)
            #expect(answer.json["deleted"].bool == true)
            #expect(answer.json["files_until"].int != nil)
            let changes = try await service.tree.changes(since: token, limit: 10)
            #expect(
                changes.prefix(1).map { $0.writes.map(\.path.description).sorted() } == [
                    [
                        "/feed/maria/\(id)", "/hashtags/sea/\(id)", "/hashtags/sun/\(id)",
                        "/people/maria/posts/\(id)", "/posts/\(id)", "/stats/people/maria/posts",
                    ]
                ])
            // These are deleted after the post, however many there are.
            try await eventually {
                let rest = try await service.tree.snapshot { try ($0.exists("comments"), $0.exists("likes")) }
                return rest == (false, false)
            }
            #expect(try await service.client.get("/hashtags.json?shallow=true").text == #"{"sun":true}"#)
            #expect(
                try await service.client.get("/v1/posts").json["posts"].array.map { $0["post_id"].string } == [other])
            let again = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(again.status == 404)
            #expect(again.json["code"].string == "not_found")
        }
    }

    @Test(
        "Any value that a client wrote at its path can be deleted",
        arguments: [#""junk""#, #"{"text":5}"#, #"{"author":"x"}"#])
    func strange(value: String) async throws {
        try await withService { service in
            let id = try await service.client.post("hello%20%23sun") ?? ""
            _ = try await service.client.ask(.put, "/posts/\(id).json", body: .bytes(Array(value.utf8)))
            let answer = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(answer.status == 200, "\(answer.text)")
            for path in ["posts", "feed", "hashtags", "people/maria/posts"] {
                #expect(try await service.client.get("/\(path).json").text == "null", "\(path)")
            }
        }
    }

    @Test("An id that is not a post's is not found", arguments: ["nonsense", "-OaBcDeFgHiJkLmNoPqR"])
    func missing(id: String) async throws {
        try await withService { service in
            let answer = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(answer.status == 404)
        }
    }

    @Test("Over TCP a deletion needs write access to the database")
    func access() async throws {
        try await withService(changeAccess: { $0.secrets = [Secret("0123456789abcdef")] }) { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)"
            #expect(try await service.tcpClient.ask(.delete, path).status == 401)
            let wrong: HTTPFields = [.authorization: "Bearer 0123456789abcdee"]
            #expect(try await service.tcpClient.ask(.delete, path, headers: wrong).status == 401)
            #expect(try await service.client.get(path).status == 200)
            let right: HTTPFields = [.authorization: "Bearer 0123456789abcdef"]
            #expect(try await service.tcpClient.ask(.delete, path, headers: right).status == 200)
        }
    }

    @Test("An upload that is sent again after its post was deleted is refused with the reason")
    func sentAgain() async throws {
        try await withService { service in
            let headers: HTTPFields = [.named("idempotency-key"): "k"]
            let path = "/v1/uploads?user=maria&text=hello"
            let id = try await service.client.ask(.post, path, headers: headers).json["post_id"].string ?? ""
            _ = try await service.client.ask(.delete, "/v1/posts/\(id)")
            for _ in 0..<2 {
                let again = try await service.client.ask(.post, path, headers: headers)
                #expect(again.status == 410)
                #expect(again.json["code"].string == "deleted")
                // The same again, now without its files.
                try await service.tree.set(FileNodes.deleted(try #require(PostID(id))), to: 0)
                try await service.pipeline.janitor.sweep()
            }
            #expect(try await service.client.get("/v1/uploads/\(id)").json["state"].string == "deleted")
        }
    }

    @Test("Unclaimed files are listed and deleted through the socket alone, and the status counts them")
    func unclaimed() async throws {
        try await withService { service in
            let lost = "-OaBcDeFgHiJkLmNoPqR"
            try service.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\(lost)/original.jpg")
            let list = try await service.client.get("/v1/unclaimed")
            #expect(list.text == #"{"bytes":3,"files":1,"owner":"maria","post":"\#(lost)"}"# + "\n")
            try await eventually { try await service.client.get("/v1/status").json["unclaimed"].int == 1 }
            let status = try await service.client.get("/v1/status").json
            #expect(status["sweeps"]["status"].string == "on")
            let path = "/v1/unclaimed/maria/\(lost)"
            for (method, path) in [
                (HTTPRequest.Method.get, "/v1/unclaimed"), (.delete, path), (.post, "/v1/unclaimed/accept"),
            ] {
                let answer = try await service.tcpClient.ask(method, path)
                #expect(answer.json["code"].string == "admin_only", "\(path)")
            }
            #expect(try await service.client.ask(.delete, "/v1/unclaimed/jan/\(lost)").status == 404)
            #expect(service.scratch.exists("Storage/blobs/maria/\(lost)/original.jpg"))
            #expect(try await service.client.ask(.delete, path).status == 200)
            #expect(try await service.client.ask(.delete, path).status == 404)
            #expect(try await service.client.get("/v1/unclaimed").text.isEmpty)
        }
    }
}
