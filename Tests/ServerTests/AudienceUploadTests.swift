import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

@Suite("C14: Posts for an audience never reach others", .timeLimit(.minutes(20)))
struct AudienceUploadTests {
    private func withClass(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            for id in ["c", "d"] as [TreeKey] {
                try await service.tree.set(
                    "audiences" / id,
                    to: ["name": "7b", "kind": "class", "members": ["maria": "owner", "jan": "reader"]])
            }
            try await body(service)
        }
    }

    @Test(
        "A user who may not post there is refused before anything is stored",
        arguments: [
            ("maria", "c", 201, nil), ("maria", "c,d", 201, nil), ("maria", "d%20c", 201, nil),
            ("jan", "c", 403, "not_allowed"), ("eve", "c", 403, "not_member"), ("maria", "c,x", 403, "not_member"),
            ("maria", "", 422, "bad_audience"), ("maria", "%2F", 422, "bad_audience"),
            ("maria", (1...21).map { "a\($0)" }.joined(separator: ","), 422, "bad_audience"),
        ] as [(String, String, Int, String?)])
    func refused(uid: String, audiences: String, status: Int, code: String?) async throws {
        try await withClass { service in
            let answer = try await service.ask(.post, "/v1/uploads?text=x&audiences=\(audiences)", as: uid)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.json["code"].string == code)
            #expect(try await service.tree.get(PostNodes.post()) == nil)
            if code != nil { #expect(try await service.tree.get(AudienceNodes.post()) == nil) }
        }
    }

    @Test("Audiences that arrive after the photos are refused, and nothing is posted")
    func late() async throws {
        try await withClass { service in
            let photo = try fixture("exif-gps.jpg")
            for query in ["", "&draft=true"] {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads?user=maria\(query)", headers: Form.contentType,
                    body: .bytes(Form().photo(photo).field("audiences", "c").closed))
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.json["code"].string == "bad_audience")
            }
            let early = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: Form.contentType,
                body: .bytes(Form().field("audiences", "c").photo(photo).closed))
            #expect(early.status == 201, "\(early.text)")
            // The sender can show the photo at once.
            let url = try #require(early.json["post"]["full_url"].string)
            #expect(url.contains("?token="))
            #expect(try await service.ask(.get, url, as: nil).status == 200)
            #expect(try await service.tree.get(PostNodes.post()) == nil)
            #expect(try await service.tree.keys(of: "stories/c").count == 1)
        }
    }

    @Test("An idempotency key is bound to the audiences")
    func idempotent() async throws {
        try await withClass { service in
            let headers: HTTPFields = [.named("idempotency-key"): "k"]
            func send(_ audiences: String) async throws -> Answer {
                try await service.client.ask(.post, "/v1/uploads?user=maria&text=x\(audiences)", headers: headers)
            }
            let first = try await send("&audiences=c,d")
            #expect(first.status == 201)
            #expect(try await send("&audiences=d,c").json["post_id"].string == first.json["post_id"].string)
            for other in ["", "&audiences=c"] {
                let answer = try await send(other)
                #expect(answer.status == 422 && answer.json["code"].string == "key_reused", "\(answer.text)")
            }
            #expect(try await service.tree.get(PostNodes.post()) == nil)
        }
    }

    @Test("A draft keeps its audiences; a former member is refused when it is published")
    func draft() async throws {
        try await withClass { service in
            try await service.tree.set("audiences/c/members/zoe", to: "owner")
            for (isMember, status) in [(true, 201), (false, 403)] {
                let draft = try await service.ask(.post, "/v1/uploads?draft=true&audiences=c", as: "maria")
                let id = try #require(draft.json["upload_id"].string)
                #expect(draft.json["audiences"][0].string == "c", "\(draft.text)")
                if !isMember { try await service.tree.set("audiences/c/members/maria", to: nil) }
                let answer = try await service.ask(.post, "/v1/uploads/\(id)/publish", as: "maria", #"{"text":"x"}"#)
                #expect(answer.status == status, "\(answer.text)")
            }
            #expect(try await service.tree.get(PostNodes.post()) == nil)
            #expect(try await service.tree.keys(of: "stories/c").count == 1)
        }
    }
}
