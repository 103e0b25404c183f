import Client
import HTTPTypes
import TestSupport
import Testing
import TreeModel

@Suite("Flags and privacy by HTTP", .timeLimit(.minutes(20)))
struct SocialFlagTests {
    @Test("Users flag for themselves, by route or as an app; admins see and dismiss, also by their token's claim")
    func flags() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("ann", "bob")
            let id = try await service.client.post("hello") ?? ""
            for _ in 0..<2 {
                let flagged = try await service.ask(.put, "/v1/posts/\(id)/flags/ann", as: "ann")
                #expect(flagged.status == 200 && flagged.json["flagged"].bool == true, "\(flagged.text)")
            }
            let raw = try await service.ask(.put, "/postFlags/\(id)/bob.json", as: "bob", "true")
            #expect(raw.status == 200, "\(raw.text)")
            #expect(try await service.ask(.put, "/v1/posts/\(id)/flags/ann", as: "bob").status == 403)
            #expect(try await service.ask(.put, "/v1/posts/\(id)/flags/ann", as: nil).status == 401)
            #expect(try await service.ask(.put, "/v1/posts/-OaBcDeFgHiJkLmNoPqR/flags/ann", as: "ann").status == 404)
            #expect(try await service.ask(.put, "/v1/posts/\(id)/comments/none/flags/ann", as: "ann").status == 404)
            #expect(try await service.ask(.get, "/v1/flags", as: "ann").json["code"].string == "admin_only")
            let list = try await service.client.get("/v1/flags?order=newest&limit=5")
            #expect(list.json["flagged"][0]["post_id"].string == id && list.json["flagged"][0]["flags"].int == 2)
            #expect(list.json["flagged"].array.count == 1 && list.json["has_more"].bool == false)
            for query in ["order=best", "limit=0", "after=x"] {
                #expect(try await service.client.get("/v1/flags?\(query)").status == 400, "\(query)")
            }
            let admin = try service.headers(of: "root", ["admin": .bool(true)])
            let byClaim = try await service.tcpClient.ask(.get, "/v1/flags", headers: admin)
            #expect(byClaim.json["flagged"].array.count == 1)
            #expect(try await service.ask(.delete, "/v1/posts/\(id)/flags", as: "ann").status == 403)
            let dismissed = try await service.tcpClient.ask(.delete, "/v1/posts/\(id)/flags", headers: admin)
            #expect(dismissed.json["dismissed"].bool == true, "\(dismissed.text)")
            #expect(try await service.client.get("/v1/flags").json["flagged"].array.isEmpty)
            let back = try await service.ask(.delete, "/v1/posts/\(id)/flags/ann", as: "ann")
            #expect(back.json["flagged"].bool == false)
            #expect(try await service.client.get("/postFlags/\(id).json").text == #"{"bob":true}"#)
        }
    }

    @Test("A comment can be flagged, too, and its flags are deleted with it")
    func comments() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("ann", "bob")
            let id = try await service.client.post("hello") ?? ""
            let comment = try await service.ask(.post, "/v1/posts/\(id)/comments", as: "bob", #"{"text":"rude"}"#)
            let path = "/v1/posts/\(id)/comments/\(comment.json["comment_id"].string ?? "")"
            #expect(try await service.ask(.put, path + "/flags/ann", as: "ann").status == 200)
            let listed = try await service.client.get("/v1/flags").json["flagged"][0]
            #expect(listed["text"].string == "rude" && listed["author"]["uid"].string == "bob")
            #expect(try await service.client.ask(.delete, path).status == 200)
            #expect(try await service.client.get("/commentFlags.json").text == "null")
            #expect(try await service.client.get("/v1/flags").json["flagged"].array.isEmpty)
        }
    }

    @Test("Content without the user's consent is refused by routes and rules, and left out of searches")
    func privacy() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("ann", "bob")
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/people/ann/privacy"
            let all = try await service.ask(.get, path, as: "ann")
            #expect(all.json.keys == ["content", "data_processing", "social"] && all.json["social"].bool == true)
            #expect(try await service.ask(.get, path, as: "bob").status == 403)
            let nobody = "/v1/people/nobody/privacy"
            #expect(try await service.ask(.get, nobody, as: "nobody").status == 404)
            #expect(try await service.ask(.patch, nobody, as: "nobody", #"{"content":false}"#).status == 200)
            #expect(try await service.ask(.get, nobody, as: "nobody").json["content"].bool == false)
            #expect(try await service.ask(.patch, path, as: "bob", #"{"social":false}"#).status == 403)
            for body in [#"{"social":"no"}"#, #"{"other":true}"#, "[]"] {
                #expect(try await service.ask(.patch, path, as: "ann", body).status == 400, "\(body)")
            }
            let off = try await service.ask(.patch, path, as: "ann", #"{"social":false,"content":false}"#)
            #expect(off.status == 200 && off.json["social"].bool == false && off.json["data_processing"].bool == true)
            #expect(try await service.client.get("/v1/people?search=ann").json["people"].array.isEmpty)
            let listed = try await service.client.get("/v1/people").json["people"].array
            #expect(listed.map { $0["uid"].string } == ["bob", "maria"])
            let upload = try await service.ask(.post, "/v1/uploads?user=ann&text=no", as: "ann")
            #expect(upload.status == 403 && upload.json["code"].string == "not_consented", "\(upload.text)")
            #expect(
                try await service.ask(.post, "/v1/posts/\(id)/comments", as: "ann", #"{"text":"no"}"#).status == 403)
            let author = #""author":{"uid":"ann","full_name":"ann"},"text":"x","timestamp":{".sv":"timestamp"}"#
            for raw in ["/posts/-OaBcDeFgHiJkLmNoPqZ.json", "/comments/\(id)/c.json"] {
                #expect(try await service.ask(.put, raw, as: "ann", "{\(author)}").status == 401, "\(raw)")
            }
            let like = ("/likes/\(id)/ann.json", #"{".sv":"timestamp"}"#)
            #expect(try await service.ask(.put, like.0, as: "ann", like.1).status == 200)
            #expect(try await service.ask(.put, "/people/ann/following/bob.json", as: "ann", "true").status == 200)
            #expect(try await service.ask(.put, "/privacy/ann/data_processing.json", as: "ann", "false").status == 200)
            #expect(try await service.ask(.put, like.0, as: "ann", like.1).status == 401)
            #expect(try await service.ask(.delete, like.0, as: "ann").status == 200)
            #expect(try await service.ask(.delete, "/people/ann/following/bob.json", as: "ann").status == 200)
            #expect(try await service.ask(.put, "/people/ann/following/bob.json", as: "ann", "true").status == 401)
            #expect(
                try await service.ask(.put, "/v1/posts/\(id)/likes/ann", as: "ann").json["code"].string
                    == "not_consented")
            #expect(
                try await service.ask(
                    .patch, path, as: "ann", #"{"social":true,"content":true,"data_processing":true}"#
                ).status == 200)
            #expect(try await service.client.get("/v1/people?search=ann").json["people"].array.count == 1)
            #expect(try await service.ask(.put, "/comments/\(id)/c.json", as: "ann", "{\(author)}").status == 200)
        }
    }
}
