import Access
import Client
import HTTPTypes
import Model
import Server
import TestSupport
import Testing
import Tree

@Suite("Notifications and announcements over HTTP", .timeLimit(.minutes(20)))
struct SocialNotificationTests {
    private static let json: HTTPFields = [.contentType: "application/json"]

    /// Runs the body against a service with a post of Ann's.
    private func withPost(_ body: @Sendable (Service, String) async throws -> Void) async throws {
        try await withService { service in
            try await service.tree.setRules(DefaultRules.database)
            try await body(service, try await service.client.post("hello", by: "ann") ?? "")
        }
    }

    /// Returns the entries of a person's list, and the other members of the answer.
    private func page(
        of uid: String, query: String = "", _ service: Service
    ) async throws -> (kinds: [String?], answer: Answer) {
        let answer = try await service.client.get("/v1/people/\(uid)/notifications\(query)")
        return (answer.json["notifications"].array.map { $0["kind"].string }, answer)
    }

    private func send(
        _ path: String, _ body: String, _ service: Service, headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await service.tcpClient.ask(.post, path, headers: headers, body: .bytes(Array(body.utf8)))
    }

    @Test("26: A write by a database client notifies the people concerned, once")
    func raw() async throws {
        try await withPost { service, post in
            let comment = #"""
                {"author":{"uid":"bob","full_name":"Bob"},"text":"Hi Ann, Cat","timestamp":{".sv":"timestamp"},
                "mentions":{"0":{"uid":"ann","start":3,"length":3},"1":{"uid":"cat","start":8,"length":3}}}
                """#
            for (path, value) in [
                ("/likes/\(post)/bob.json", "1"), ("/people/bob/following/ann.json", "true"),
                ("/comments/\(post)/c.json", comment), ("/likes/\(post)/ann.json", "1"),
            ] {
                let answer = try await service.client.ask(.put, path, body: .bytes(Array(value.utf8)))
                #expect(answer.status == 200, "\(answer.text)")
            }
            try await service.finishJobs()
            let (kinds, answer) = try await page(of: "ann", service)
            #expect(kinds == ["comment", "follow", "like"])
            #expect(answer.json["unread"].int == 3 && answer.json["has_more"].bool == false)
            #expect(answer.headers[.named("Tintype-Token")] == (try await service.tree.token).description)
            let first = answer.json["notifications"].array.first
            #expect(first?["actor"]["uid"].string == "bob" && first?["text"].string == "Hi Ann, Cat")
            #expect(first?["post"].string == post && first?["comment"].string == "c")
            #expect(try await page(of: "cat", service).kinds == ["mention"])
            #expect(try await page(of: "bob", service).kinds == [])
            #expect(try await service.client.get("/unread/ann.json").text == "3")
        }
    }

    @Test("B32, 27, 28: Some, all up to one, or all can be marked, by route and by database; the count is exact")
    func marks() async throws {
        try await withPost { service, post in
            for number in 0..<4 { try await service.tree.set(try TreePath("likes/\(post)/u\(number)"), to: 1) }
            _ = try await service.client.ask(
                .post, "/v1/announcements", headers: Self.json, body: .bytes(Array(#"{"text":"news"}"#.utf8)))
            let ids = try await page(of: "ann", service).answer.json["notifications"].array.compactMap {
                $0["id"].string
            }
            #expect(ids.count == 5)
            let (path, ann) = ("/v1/people/ann/notifications/read", try service.headers(of: "ann"))
            func unread(_ body: String) async throws -> Int? {
                let answer = try await send(path, body, service, headers: ann)
                #expect(answer.status == 200, "\(answer.text)")
                let page = try await page(of: "ann", service).answer.json
                #expect(page["unread"].int == page["notifications"].array.count { $0["unread"].bool == true })
                #expect(page["unread"].int == answer.json["unread"].int)
                return answer.json["unread"].int
            }
            #expect(try await unread(#"{"ids":["\#(ids[1])","none"]}"#) == 4)
            let mark = "/notifications/ann/\(ids[2])/unread.json"
            #expect(try await service.tcpClient.ask(.delete, mark, headers: ann).status == 200)
            #expect(
                try await service.tcpClient.ask(.delete, mark, headers: try service.headers(of: "bob")).status == 401)
            #expect(try await unread(#"{"ids":[]}"#) == 3)
            #expect(try await unread(#"{"up_to":"\#(ids[3])"}"#) == 1)
            #expect(try await unread(#"{"all":true}"#) == 0)
            #expect(try await unread(#"{"all":true,"ids":null}"#) == 0)
        }
    }

    @Test("Likes of one post are one notification on request, and are read as one")
    func grouped() async throws {
        try await withPost { service, post in
            for number in 0..<4 { try await service.tree.set(try TreePath("likes/\(post)/u\(number)"), to: 1) }
            try await service.tree.set("followers/ann/bob", to: true)
            let (kinds, answer) = try await page(of: "ann", query: "?grouped=true", service)
            #expect(kinds == ["follow", "like"] && answer.json["unread"].int == 5)
            let likes = answer.json["notifications"].array.last ?? .null
            #expect(likes["count"].int == 4 && likes["actor"]["uid"].string == "u3")
            #expect(likes["actors"].array.map { $0["uid"].string } == ["u3", "u2"])
            for query in ["", "?grouped=false"] {
                let (kinds, answer) = try await page(of: "ann", query: query, service)
                #expect(kinds == ["follow", "like", "like", "like", "like"])
                #expect(answer.json["notifications"].array.allSatisfy { $0["actors"] == .null && $0["count"] == .null })
            }
            #expect(try await page(of: "ann", query: "?grouped=x", service).answer.status == 400)
            let (path, ann) = ("/v1/people/ann/notifications/read", try service.headers(of: "ann"))
            let id = try #require(likes["id"].string)
            for (body, unread) in [
                (#"{"ids":["\#(id)"],"grouped":false}"#, 4), (#"{"ids":["\#(id)"],"grouped":true}"#, 1),
            ] {
                let answer = try await send(path, body, service, headers: ann)
                #expect(answer.json["unread"].int == unread, "\(answer.text)")
            }
        }
    }

    @Test(
        "A request without a valid selection of read entries is refused",
        arguments: [
            "", "{}", "[]", "true", #"{"all":false}"#, #"{"all":true,"ids":["a"]}"#, #"{"ids":"a"}"#, #"{"ids":[5]}"#,
            #"{"ids":["a/b"]}"#, #"{"up_to":""}"#, #"{"up_to":"x"}"#, #"{"more":1}"#, #"{"ids":["a","a""#,
            #"{"grouped":true}"#, #"{"all":true,"grouped":true}"#, #"{"ids":[],"grouped":1}"#,
        ])
    func refusedMarks(body: String) async throws {
        try await withPost { service, _ in
            let answer = try await service.client.ask(
                .post, "/v1/people/ann/notifications/read", headers: Self.json, body: .bytes(Array(body.utf8)))
            #expect(answer.status == 400 && answer.json["code"].string == "bad_request", "\(answer.text)")
        }
    }

    @Test("Pages are in order, the newest first, with announcements among them, and end exactly")
    func pages() async throws {
        try await withPost { service, post in
            for number in 0..<3 {
                try await service.tree.set(try TreePath("likes/\(post)/u\(number)"), to: 1)
                let body = RequestBody.bytes(Array(#"{"text":"news \#(number)"}"#.utf8))
                #expect(
                    try await service.client.ask(.post, "/v1/announcements", headers: Self.json, body: body).status
                        == 201)
            }
            var names: [String?] = []
            var next = ""
            for last in [false, false, true] {
                let (_, answer) = try await page(of: "ann", query: "?limit=2\(next)", service)
                names += answer.json["notifications"].array.map { $0["text"].string ?? $0["actor"]["uid"].string }
                #expect(answer.json["has_more"].bool == !last)
                next = "&before=\(answer.json["next"].string ?? "")"
            }
            #expect(names == ["news 2", "u2", "news 1", "u1", "news 0", "u0"])
            for query in ["?limit=0", "?limit=201", "?limit=x", "?before=a%2Fb", "?before=", "?before=x"] {
                #expect(try await page(of: "ann", query: query, service).answer.status == 400, "\(query)")
            }
        }
    }

    @Test("Notifications are read and marked by the person and by admins only")
    func access() async throws {
        try await withPost { service, _ in
            let path = "/v1/people/ann/notifications"
            for (headers, status) in [
                ([:], 401), (try service.headers(of: "bob"), 403), (try service.headers(of: "ann"), 200),
            ] as [(HTTPFields, Int)] {
                #expect(try await service.tcpClient.get(path, headers: headers).status == status)
                #expect(try await send(path + "/read", #"{"all":true}"#, service, headers: headers).status == status)
            }
            #expect(try await service.client.get(path).status == 200)
            #expect(try await service.client.get(path + "?as=ann").status == 200)
            #expect(try await service.client.get(path + "?as=bob").status == 403)
            #expect(try await service.client.get("/v1/people/a.b/notifications").status == 404)
        }
    }

    @Test("B21, B26, 29: An announcement is by an admin only, in the name of a user who is an admin")
    func announcer() async throws {
        try await withPost { service, _ in
            let body = #"{"text":"news"}"#
            #expect(try await send("/v1/announcements", body, service).status == 403)
            let maria = try await send("/v1/announcements", body, service, headers: try service.headers(of: "maria"))
            #expect(maria.status == 403 && maria.json["code"].string == "admin_only")
            let admin = try service.headers(of: "ann", ["admin": true])
            let answer = try await send("/v1/announcements", body, service, headers: admin)
            #expect(answer.status == 201 && answer.json["author"]["uid"].string == "ann", "\(answer.text)")
            #expect(answer.headers[.named("Tintype-Token")] != nil)
            let path = "/v1/announcements/\(answer.json["id"].string ?? "")"
            let others = try service.headers(of: "maria")
            #expect(try await service.tcpClient.ask(.delete, path, headers: others).status == 403)
            #expect(try await service.tcpClient.ask(.delete, path, headers: admin).status == 200)
            #expect(try await service.client.ask(.delete, path).status == 404)
            #expect(try await service.client.ask(.delete, "/v1/announcements/a%2Fb").status == 404)
        }
    }

    @Test("B24, 30: An announcement stays in the list after it was read; one to a few is in their notifications alone")
    func announcements() async throws {
        try await withPost { service, _ in
            func announce(_ body: String) async throws -> JSON {
                let answer = try await service.client.ask(
                    .post, "/v1/announcements", headers: Self.json, body: .bytes(Array(body.utf8)))
                #expect(answer.status == 201, "\(answer.text)")
                return answer.json
            }
            _ = try await announce(#"{"text":"to all","title":"News"}"#)
            let letter = try await announce(#"{"text":"to Ann","to":["ann","ann"]}"#)
            #expect(letter["recipients"].int == 1)
            #expect(try await page(of: "ann", service).kinds == ["announcement", "announcement"])
            #expect(try await page(of: "bob", service).kinds == ["announcement"])
            _ = try await service.client.ask(
                .post, "/v1/people/ann/notifications/read", headers: Self.json,
                body: .bytes(Array(#"{"all":true}"#.utf8)))
            #expect(try await page(of: "ann", service).answer.json["unread"].int == 0)
            #expect(try await page(of: "bob", service).answer.json["unread"].int == 1)
            let list = try await service.tcpClient.get("/v1/announcements")
            #expect(list.json["announcements"].array.map { $0["text"].string } == ["to all"])
            #expect(list.json["announcements"].array.first?["title"].string == "News")
            _ = try await service.client.ask(.delete, "/v1/announcements/\(letter["id"].string ?? "")")
            #expect(try await page(of: "ann", service).kinds == ["announcement"])
        }
    }

    @Test(
        "An invalid announcement is refused",
        arguments: [
            ("{}", 400), (#"{"text":5}"#, 400), (#"{"text":""}"#, 400), (#"{"text":"a","title":5}"#, 400),
            (#"{"text":"a","to":"ann"}"#, 400), (#"{"text":"a","to":["a.b"]}"#, 400), (#"{"text":"a","to":[]}"#, 400),
            (#"{"text":"a","more":1}"#, 400),
        ])
    func refused(body: String, status: Int) async throws {
        try await withPost { service, _ in
            let answer = try await service.client.ask(
                .post, "/v1/announcements", headers: Self.json, body: .bytes(Array(body.utf8)))
            #expect(answer.status == status, "\(answer.text)")
            let wrongType = try await service.client.ask(
                .post, "/v1/announcements", headers: [.contentType: "text/plain"], body: .bytes(Array(body.utf8)))
            #expect(wrongType.status == 415)
            #expect(try await service.tree.get("announcements") == nil)
        }
    }

    @Test("B22: A thousand people can be notified one by one, in one commit, but not more")
    func manyRecipients() async throws {
        try await withPost { service, _ in
            func announce(_ count: Int) async throws -> Int {
                let names = (0..<count).map { "\"u\($0)\"" }.joined(separator: ",")
                let body = #"{"text":"a","to":[\#(names)]}"#
                return try await service.client.ask(
                    .post, "/v1/announcements", headers: Self.json, body: .bytes(Array(body.utf8))
                ).status
            }
            try await service.finishJobs()
            let token = try await service.tree.token
            #expect(try await announce(1001) == 400)
            #expect(try await announce(1000) == 201)
            #expect(try await service.tree.token.sequence == token.sequence + 1)
            #expect(try await service.tree.keys(of: "notifications").count == 1000)
        }
    }
}
