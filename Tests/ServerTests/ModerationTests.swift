import Client
import HTTPTypes
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Moderation by HTTP: access to files, and the decisions of admins", .timeLimit(.minutes(20)))
struct ModerationTests {
    private struct Unanswered: Error {}

    @Test("An undecided photo is shown only to its author and admins; the sender gets 202 and the reason")
    func withheld() async throws {
        let isOpen = Shared(false)
        let moderator = Moderator(photos: .bytes) { _ in
            guard isOpen.value else { throw Unanswered() }
            return Array(#"{"decision":"pass"}"#.utf8)
        }
        let bytes = try Fixture.bytes("baseline-420.jpg")
        try await withService(moderator: moderator) { service in
            let sent = try await service.client.ask(.put, "/v1/uploads?user=ann", body: .bytes(bytes))
            #expect(sent.status == 202 && sent.json["error"]["code"].string == "moderation_unavailable", "\(sent.text)")
            let draft = try await service.client.ask(.put, "/v1/uploads?user=ann&draft=true", body: .bytes(bytes))
            for upload in [sent, draft] {
                let url = try #require(upload.json["photos"][0]["renditions"]["full"]["url"].string)
                #expect(try await service.ask(.get, url, as: nil).status == 404)
                #expect(try await service.ask(.get, url, as: "bob").status == 404)
                let own = try await service.ask(.get, url, as: "ann")
                #expect(own.status == 200 && own.headers[.cacheControl]?.hasPrefix("private") == true)
                #expect(try await service.client.get(url).status == 200)
            }
            isOpen.change { $0 = true }
            let url = try #require(sent.json["photos"][0]["renditions"]["full"]["url"].string)
            try await eventually { try await service.ask(.get, url, as: nil).status == 200 }
        }
    }

    @Test("An admin blurs a post: the clear files are deleted, and the original is its author's, whatever the rules")
    func blurred() async throws {
        let bytes = try Fixture.bytes("baseline-420.jpg")
        try await withService { service in
            try await service.setDefaultRules()
            let post = try await service.client.ask(.put, "/v1/uploads?user=ann", body: .bytes(bytes)).json
            let id = try #require(post["post_id"].string)
            let clear = try #require(post["post"]["full_url"].string)
            let rules =
                "rules_version = '2'; service firebase.storage { match /b/{b}/o { match /{rest=**} { allow get; } } }"
            let contentType: HTTPFields = [.contentType: "text/plain"]
            _ = try await service.client.ask(
                .put, "/v1/storage-rules", headers: contentType, body: .bytes(Array(rules.utf8)))
            let original = "/media/ann/\(id)/original.jpg"
            #expect(try await service.ask(.get, original, as: nil).status == 200)
            let path = "/v1/posts/\(id)/moderation"
            #expect(try await service.ask(.put, path, as: "ann", #"{"decision":"blur"}"#).status == 403)
            let json: HTTPFields = [.contentType: "application/json"]
            for body in [
                "{}", #"{"decision":"maybe"}"#, #"{"decision":"pass","photos":{"7":"blur"}}"#, #"{"decisions":1}"#,
            ] {
                let answer = try await service.client.ask(.put, path, headers: json, body: .bytes(Array(body.utf8)))
                #expect(answer.status == 400, "\(body)")
            }
            let blur = try await service.client.ask(
                .put, path, headers: json, body: .bytes(Array(#"{"decision":"blur","reason":"x"}"#.utf8)))
            #expect(blur.status == 200 && blur.json["photos"][0].string == "blur", "\(blur.text)")
            #expect(try await service.ask(.get, clear, as: "ann").status == 404)
            let shown = try await service.client.get("/v1/posts/\(id)").json
            #expect(shown["photos"][0]["blurred"].bool == true)
            let soft = try #require(shown["full_url"].string)
            #expect(soft != clear)
            #expect(try await service.ask(.get, soft, as: nil).status == 200)
            #expect(try await service.ask(.get, original, as: nil).status == 404)
            #expect(try await service.ask(.get, original, as: "bob").status == 404)
            #expect(try await service.ask(.get, original, as: "ann").status == 200)
            #expect(try await service.ask(.get, "/v1/posts/\(id)/originals", as: "bob").status == 403)
            #expect(try await service.ask(.get, "/v1/posts/\(id)/originals", as: "ann").status == 200)
            let admin = try service.headers(of: "root", ["admin": .bool(true)])
            var headers = admin
            headers[.contentType] = "application/json"
            let pass = try await service.tcpClient.ask(
                .put, path, headers: headers, body: .bytes(Array(#"{"decision":"pass"}"#.utf8)))
            #expect(pass.status == 200, "\(pass.text)")
            let newest = try await service.client.get("/posts/\(id).json").json
            let again = try #require(newest["thumb_url"].string)
            #expect(again != clear, "no name is used again")
            #expect(try await service.ask(.get, again, as: nil).status == 200)
            #expect(try await service.ask(.get, original, as: nil).status == 200)
        }
    }

    @Test(
        "A refused photo is its author's alone, in a new post, too, in an audience, and with a signature"
    )
    func refused() async throws {
        let bytes = try Fixture.bytes("baseline-420.jpg")
        try await withService { service in
            try await service.setDefaultRules()
            let sent = try await service.client.ask(.put, "/v1/uploads?user=ann", body: .bytes(bytes)).json
            let id = try #require(sent["post_id"].string)
            let url = try #require(sent["post"]["full_url"].string)
            let json: HTTPFields = [.contentType: "application/json"]
            let refusal = try await service.client.ask(
                .put, "/v1/posts/\(id)/moderation", headers: json, body: .bytes(Array(#"{"decision":"refuse"}"#.utf8)))
            #expect(refusal.status == 200 && refusal.json["deleted"].bool == true, "\(refusal.text)")
            let post =
                #"{"author":{"uid":"ann","full_name":"ann"},"timestamp":{".sv":"timestamp"},"full_url":"\#(url)"}"#
            let anew = try await service.ask(.put, "/posts/\(id).json", as: "ann", post)
            #expect(anew.status == 200, "\(anew.text)")
            try await service.tree.set(try TreePath("posts/\(id)"), to: nil)
            try await service.tree.set(
                "audiences/c", to: ["name": "7b", "members": ["ann": "owner", "bob": "reader"]])
            let forClass = post.dropLast() + #","audiences":{"c":true}}"#
            let restricted = try await service.ask(.put, "/audience_posts/\(id).json", as: "ann", String(forClass))
            #expect(restricted.status == 200, "\(restricted.text)")
            let story = try await service.ask(.get, "/v1/audiences/c/posts", as: "bob")
            let signed = try #require(story.json["posts"][0]["full_url"].string)
            #expect(signed.contains("token="))
            for address in [url, signed] {
                for (reader, status) in [(nil, 404), ("bob", 404), ("ann", 200)] as [(String?, Int)] {
                    let answer = try await service.ask(.get, address, as: reader)
                    #expect(answer.status == status, "\(address) \(answer.text)")
                }
            }
        }
    }
}
