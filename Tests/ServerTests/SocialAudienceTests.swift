import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

@Suite("C1: Audiences and their stories, by their routes", .timeLimit(.minutes(20)))
struct SocialAudienceTests {
    private func withClass(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan", "ann", "eve")
            let made = try await service.ask(
                .put, "/v1/audiences/c", as: "maria",
                #"{"name":"7b","kind":"class","members":{"jan":"reader","ann":"poster"}}"#)
            #expect(made.status == 201, "\(made.text)")
            try await body(service)
        }
    }

    private func post(_ text: String, for audiences: String, as uid: String, _ service: Service) async throws -> String
    {
        let answer = try await service.ask(.post, "/v1/uploads?text=\(text)&audiences=\(audiences)", as: uid)
        return try #require(answer.json["post_id"].string, "\(answer.text)")
    }

    private func texts(_ path: String, as uid: String, _ service: Service) async throws -> [String?] {
        let answer = try await service.ask(.get, path, as: uid)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["posts"].array.map { $0["text"].string }
    }

    @Test("An audience is created by its first owner, shown to its members, and changed by its owners")
    func life() async throws {
        try await withClass { service in
            let shown = try await service.ask(.get, "/v1/audiences/c", as: "jan")
            #expect(shown.json["name"].string == "7b" && shown.json["kind"].string == "class", "\(shown.text)")
            #expect(shown.json["role"].string == "reader" && shown.json["members"]["maria"].string == "owner")
            let rows: [(HTTPRequest.Method, String, String?, String?, Int)] = [
                (.get, "/v1/audiences/c", "eve", nil, 403), (.get, "/v1/audiences/x", "eve", nil, 403),
                (.get, "/v1/audiences/c", nil, nil, 401), (.get, "/v1/audiences", nil, nil, 401),
                (.patch, "/v1/audiences/c", "ann", #"{"name":"x"}"#, 403),
                (.patch, "/v1/audiences/c", "eve", #"{"name":"x"}"#, 403),
                (.put, "/v1/audiences/c", "eve", #"{"name":"x","kind":"class"}"#, 403),
                (.put, "/v1/audiences/n", "eve", #"{"name":"x"}"#, 400),
                (.put, "/v1/audiences/n", "eve", #"{"name":"x","kind":"club"}"#, 400),
                (.put, "/v1/audiences/n", "eve", #"{"name":"","kind":"class"}"#, 400),
                (.put, "/v1/audiences/n", "eve", #"{"name":"x","kind":"class","members":{"a b":"reader"}}"#, 400),
                (.put, "/v1/audiences/n", "eve", #"{"name":"x","kind":"class","members":{"jan":"king"}}"#, 400),
                (.put, "/v1/audiences/n", nil, #"{"name":"x","kind":"class"}"#, 401),
                (.put, "/v1/audiences/c/members/eve", "ann", #"{"role":"reader"}"#, 403),
                (.put, "/v1/audiences/c/members/eve", "eve", #"{"role":"reader"}"#, 403),
                (.delete, "/v1/audiences/c/members/jan", "ann", nil, 403),
                (.delete, "/v1/audiences/c", "ann", nil, 403), (.delete, "/v1/audiences/c", "eve", nil, 403),
                (.delete, "/v1/audiences/c/members/maria", "maria", nil, 409),
                (.put, "/v1/audiences/c/members/maria", "maria", #"{"role":"reader"}"#, 409),
                (.put, "/v1/audiences/c", "maria", #"{"name":"x","kind":"class","members":{"jan":"reader"}}"#, 409),
                (.patch, "/v1/audiences/c", "maria", #"{"name":"8b"}"#, 200),
                (.put, "/v1/audiences/c/members/eve", "maria", #"{"role":"owner"}"#, 200),
                (.delete, "/v1/audiences/c/members/maria", "eve", nil, 200),
                (.delete, "/v1/audiences/c/members/jan", "jan", nil, 200),
                (.get, "/v1/audiences/c", "jan", nil, 403),
            ]
            for (method, path, uid, body, status) in rows {
                let answer = try await service.ask(method, path, as: uid, body)
                #expect(answer.status == status, "\(method) \(path) by \(uid ?? "-"): \(answer.text)")
            }
            let listed = try await service.ask(.get, "/v1/audiences", as: "ann")
            #expect(listed.json["audiences"][0]["role"].string == "poster", "\(listed.text)")
            #expect(try await service.ask(.get, "/v1/audiences", as: "jan").json["audiences"].array.isEmpty)
            #expect(try await service.client.get("/v1/audiences").json["audiences"].array.count == 1)
            #expect(try await service.client.get("/v1/audiences/x").status == 404)
            _ = try await service.ask(.put, "/v1/people/jan/blocking/eve", as: "jan")
            let blocked = try await service.ask(.put, "/v1/audiences/c/members/jan", as: "eve", #"{"role":"reader"}"#)
            #expect(blocked.status == 403 && blocked.json["code"].string == "blocked", "\(blocked.text)")
            #expect(try await service.ask(.delete, "/v1/audiences/c", as: "eve").status == 200)
            #expect(try await service.client.get("/v1/audiences/c").status == 404)
        }
    }

    @Test("The id of a deleted audience cannot be used again, by a route or by the database")
    func usedID() async throws {
        try await withClass { service in
            #expect(try await service.ask(.delete, "/v1/audiences/c", as: "maria").status == 200)
            let eves = #"{"name":"7b","kind":"class","members":{"eve":"owner"}}"#
            for uid in ["eve", "maria"] {
                let answer = try await service.ask(.put, "/v1/audiences/c", as: uid, eves)
                #expect(answer.status == 409 && answer.json["code"].string == "wrong_state", "\(answer.text)")
            }
            for (path, status) in [("c", 401), ("n", 200)] {
                #expect(try await service.ask(.put, "/audiences/\(path).json", as: "eve", eves).status == status)
            }
            #expect(try await service.client.get("/audiences.json").json.keys == ["n"])
            #expect(try await service.ask(.get, "/stories/c.json", as: "eve").status == 401)
            let sent = try await service.ask(.post, "/v1/uploads?text=x&audiences=c", as: "eve")
            #expect(sent.json["code"].string == "not_member", "\(sent.text)")
        }
    }

    @Test("Stories have pages, one by one and merged, the last published first, each post once")
    func stories() async throws {
        try await withClass { service in
            let made = try await service.ask(
                .put, "/v1/audiences/s", as: "maria", #"{"name":"S","kind":"school","members":{"jan":"reader"}}"#)
            #expect(made.status == 201)
            for (number, audiences) in ["c", "s", "c,s", "c", "s"].enumerated() {
                _ = try await post("p\(number)", for: audiences, as: "maria", service)
            }
            #expect(try await texts("/v1/audiences/c/posts", as: "jan", service) == ["p3", "p2", "p0"])
            #expect(try await texts("/v1/audiences/s/posts", as: "jan", service) == ["p4", "p2", "p1"])
            #expect(
                try await texts("/v1/people/jan/stories", as: "jan", service) == ["p4", "p3", "p2", "p1", "p0"])
            #expect(try await texts("/v1/people/ann/stories", as: "ann", service) == ["p3", "p2", "p0"])
            #expect(try await texts("/v1/people/eve/stories", as: "eve", service) == [])
            for list in ["/v1/people/jan/stories", "/v1/audiences/c/posts"] {
                var (found, next): ([String?], String?) = ([], nil)
                repeat {
                    let page = try await service.ask(
                        .get, "\(list)?limit=2" + (next.map { "&before=\($0)" } ?? ""), as: "jan")
                    found += page.json["posts"].array.map { $0["text"].string }
                    next = page.json["next"].string
                    #expect(page.json["has_more"].bool == (next != nil))
                } while next != nil
                #expect(found == (try await texts(list, as: "jan", service)))
            }
            let merged = try await service.ask(.get, "/v1/people/ann/stories?limit=1", as: "ann").json["posts"][0]
            #expect(merged["audiences"]["c"].bool == true && merged["counts"] == .null && merged["liked"] == .null)
            let both = try await service.ask(.get, "/v1/people/ann/stories", as: "ann").json["posts"][1]["audiences"]
            #expect(both["c"].bool == true && both["s"] == .null, "not of audiences that she is not in")
            for (path, uid, status) in [
                ("/v1/audiences/c/posts", "eve", 403), ("/v1/audiences/x/posts", "eve", 403),
                ("/v1/people/jan/stories", "eve", 403), ("/v1/audiences/c/posts", nil, 401),
                ("/v1/people/jan/stories", nil, 401), ("/v1/people/jan/stories?before=x", "jan", 400),
            ] as [(String, String?, Int)] {
                #expect(try await service.ask(.get, path, as: uid).status == status, "\(path) by \(uid ?? "-")")
            }
            #expect(try await service.client.get("/v1/audiences/x/posts").status == 404)
        }
    }

    @Test("A post is removed by its author, by owners and admins; an owner of all of its audiences deletes it at once")
    func removal() async throws {
        try await withClass { service in
            let made = try await service.ask(
                .put, "/v1/audiences/s", as: "jan", #"{"name":"S","kind":"school","members":{"ann":"poster"}}"#)
            #expect(made.status == 201)
            let both = try await post("both", for: "c,s", as: "ann", service)
            let one = try await post("one", for: "c", as: "ann", service)
            let rows: [(String, String?, Int)] = [
                ("/v1/audiences/c/posts/\(both)", "eve", 403), ("/v1/audiences/c/posts/\(both)", "jan", 403),
                ("/v1/audiences/c/posts/\(both)", nil, 401), ("/v1/posts/\(both)", "maria", 403),
                ("/v1/posts/\(both)", "jan", 403), ("/v1/posts/\(one)", "jan", 403),
                ("/v1/audiences/s/posts/\(one)", "jan", 404), ("/v1/posts/\(one)", "maria", 200),
                ("/v1/audiences/s/posts/\(both)", "jan", 200),
            ]
            for (path, uid, status) in rows {
                let answer = try await service.ask(.delete, path, as: uid)
                #expect(answer.status == status, "\(path) by \(uid ?? "-"): \(answer.text)")
            }
            #expect(try await texts("/v1/audiences/s/posts", as: "ann", service) == [])
            #expect(try await texts("/v1/audiences/c/posts", as: "ann", service) == ["both"])
            let last = try await service.ask(.delete, "/v1/audiences/c/posts/\(both)", as: "ann")
            #expect(last.json["deleted"].bool == true, "\(last.text)")
            #expect(try await service.ask(.get, "/v1/posts/\(both)", as: "ann").status == 404)
        }
    }

    @Test("Likes and comments need a post for all users: members get this reason, and others nothing")
    func reactions() async throws {
        try await withClass { service in
            let id = try await post("x", for: "c", as: "maria", service)
            for (uid, code) in [("jan", "audience_post"), ("maria", "audience_post"), ("eve", "not_found")] {
                let like = try await service.ask(.put, "/v1/posts/\(id)/likes/\(uid)", as: uid)
                #expect(like.json["code"].string == code, "\(like.text)")
                let comment = try await service.ask(.post, "/v1/posts/\(id)/comments", as: uid, #"{"text":"x"}"#)
                #expect(comment.json["code"].string == code, "\(comment.text)")
            }
            #expect(try await service.ask(.get, "/v1/posts/\(id)/likes", as: "eve").status == 404)
        }
    }

    @Test("A listener to a story gets posts as they arrive, and none after the end of the membership")
    func listening() async throws {
        try await withClass { service in
            let token = try service.authority.issue(["sub": "jan", "user_id": "jan"])
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(
                    "GET /stories/c.json?auth=\(token) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                )
                #expect(await connection.read(through: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true)
                #expect(
                    await connection.read(through: "\n\n") == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
                let id = try await post("hello", for: "c", as: "maria", service)
                let event = await connection.read(through: "\n\n") ?? ""
                #expect(event.hasPrefix("event: patch\ndata: {\"path\":\"/\",\"data\":{\"\(id)\":{"), "\(event)")
                #expect(event.contains("hello"))
                _ = try await service.ask(.delete, "/v1/audiences/c/members/jan", as: "maria")
                #expect(await connection.readToEnd() == "event: cancel\ndata: null\n\n")
            }
        }
    }
}
