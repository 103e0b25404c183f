import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Feeds, and the data around the posts in them", .timeLimit(.minutes(20)))
struct SocialFeedTests {
    /// Runs a test's body against a service with the default rules.
    private func withRules(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.tree.setRules(DefaultRules.database)
            try await body(service)
        }
    }

    private func put(_ path: String, _ value: String, _ service: Service) async throws {
        let answer = try await service.client.ask(.put, "/\(path).json", body: .bytes(Array(value.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func ids(_ path: String, _ service: Service) async throws -> [String?] {
        let answer = try await service.client.get(path)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["posts"].array.map { $0["post_id"].string }
    }

    @Test(
        "P19, 12: A home feed has the person's own posts and those of followed people, however the follow was written"
    )
    func home() async throws {
        try await withRules { service in
            let own = try await service.client.post("own")
            let other = try await service.client.post("other", by: "jan")
            _ = try await service.client.post("foreign", by: "eve")
            #expect(try await ids("/v1/people/maria/feed", service) == [own])
            // A client of the database writes one side, as FriendlyPix does.
            try await put("followers/jan/maria", "true", service)
            let answer = try await service.client.get("/v1/people/maria/feed")
            #expect(answer.json["posts"].array.map { $0["post_id"].string } == [other, own])
            #expect(answer.json["complete"].bool == true)
            #expect(answer.headers[.named("Tintype-Token")] != nil)
            let new = try await service.client.post("new", by: "jan")
            #expect(try await ids("/v1/people/maria/feed", service) == [new, other, own])
            // The write follows the answer.
            try await eventually { try await service.tree.get("people/maria/following/jan")?.stringValue == new }
            #expect(try await service.tree.get("feed/maria")?.object?.count == 3)
            #expect(try await ids("/v1/people/nobody/feed", service) == [])
        }
    }

    @Test("A late draft of a followee is listed before posts that were read earlier")
    func lateDraft() async throws {
        try await withRules { service in
            try await put("people/maria/following/jan", "true", service)
            let draft = try await service.client.ask(.post, "/v1/uploads?user=jan&draft=true").json["upload_id"].string
            let first = try await service.client.post("first", by: "jan")
            #expect(try await ids("/v1/people/maria/feed", service) == [first])
            _ = try await service.client.ask(.post, "/v1/uploads/\(draft ?? "")/publish?text=late")
            #expect(try await ids("/v1/people/maria/feed", service) == [draft, first])
        }
    }

    @Test("A home feed is for the person and for admins alone")
    func whoMayRead() async throws {
        try await withRules { service in
            _ = try await service.client.post("own")
            let path = "/v1/people/maria/feed"
            for (uid, status) in [("maria", 200), ("jan", 403)] {
                let signedIn = try await service.tcpClient.ask(.get, path, headers: try service.headers(of: uid))
                #expect(signedIn.status == status, "\(uid): \(signedIn.text)")
                let acting = try await service.client.ask(.get, "\(path)?as=\(uid)")
                #expect(acting.status == status, "\(uid): \(acting.text)")
            }
            #expect([401, 403].contains(try await service.tcpClient.get(path).status))
            #expect(try await service.client.get("/v1/people/no%20id/feed").status == 404)
        }
    }

    @Test(
        "P19, C7, 13, 14: `before` is stable while posts come and go, `next` is opaque, and `has_more` is exact")
    func pages() async throws {
        try await withRules { service in
            try await put("people/maria/following/jan", "true", service)
            var expected: [String?] = []
            for number in 0..<9 {
                expected.insert(
                    try await service.client.post("p\(number)", by: number % 2 == 0 ? "jan" : "maria"), at: 0)
            }
            let deleted = expected[4] ?? ""
            var (seen, next): ([String?], String?) = ([], nil)
            repeat {
                let query = "?limit=3" + (next.map { "&before=\($0)" } ?? "")
                let page = try await service.client.get("/v1/people/maria/feed" + query).json
                seen += page["posts"].array.map { $0["post_id"].string }
                next = page["next"].string
                #expect(page["has_more"].bool == (next != nil))
                if seen.count == 3 {
                    _ = try await service.client.post("meanwhile", by: "jan")
                    _ = try await service.client.ask(.delete, "/v1/posts/\(deleted)")
                }
            } while next != nil
            #expect(seen == expected.filter { $0 != deleted })
            let whole = try await service.client.get("/v1/people/maria/feed?limit=9").json
            #expect(whole["posts"].array.count == 9 && whole["has_more"].bool == false && whole["next"] == .null)
            // A page begins after a post, too.
            let behind = try await ids("/v1/people/maria/feed?before=\(seen[6] ?? "")", service)
            #expect(behind == Array(seen[7...]))
        }
    }

    @Test(
        "15: A page has 1 to 200 posts",
        arguments: ["/v1/people/maria/feed", "/v1/hashtags/sun/posts", "/v1/posts", "/v1/people/maria/posts"])
    func limits(path: String) async throws {
        try await withRules { service in
            _ = try await service.client.post("hello%20%23sun")
            for query in ["limit=0", "limit=201", "limit=-1", "limit=x", "before=x%20y", "before=", "unknown=1"] {
                #expect(try await service.client.get("\(path)?\(query)").status == 400, "\(query)")
            }
            for query in ["limit=1", "limit=200"] {
                #expect(try await ids("\(path)?\(query)", service).count == 1, "\(query)")
            }
        }
    }

    @Test(
        "F2, B5, 16: A post of a list has its author, counts, the first comments, and the reader's own like",
        arguments: ["/v1/people/maria/feed", "/v1/hashtags/sun/posts", "/v1/posts", "/v1/people/maria/posts"])
    func item(path: String) async throws {
        try await withRules { service in
            let id = try await service.client.post("hello%20%23sun") ?? ""
            let bare = try await service.client.get("\(path)?as=maria").json["posts"].array.first ?? .null
            #expect(bare["counts"] == .object(["likes": .number(0), "comments": .number(0)]))
            #expect(bare["liked"].bool == false && bare["comments"] == .null)
            for uid in ["jan", "maria"] { try await put("likes/\(id)/\(uid)", "1", service) }
            for (key, text) in [("a", "one"), ("b", "two"), ("c", "three")] {
                let comment = #"{"author":{"uid":"jan","full_name":"Jan"},"text":"\#(text)","timestamp":5}"#
                try await put("comments/\(id)/\(key)", comment, service)
            }
            // A malformed comment is counted, and not shown.
            try await put("comments/\(id)/0", #""junk""#, service)
            let post = try await service.client.get("\(path)?as=maria").json["posts"].array.first ?? .null
            #expect(post["post_id"].string == id && post["text"].string == "hello #sun")
            #expect(post["kind"].string == "text")
            #expect(post["author"]["uid"].string == "maria")
            #expect(post["counts"] == .object(["likes": .number(2), "comments": .number(4)]))
            #expect(post["liked"].bool == true)
            let comments = post["comments"].array
            #expect(comments.map { $0["text"].string } == ["one", "two"])
            #expect(comments.first?["author"] == .object(["uid": .string("jan"), "full_name": .string("Jan")]))
            #expect(comments.first?["comment_id"].string == "a" && comments.first?["timestamp"].int == 5)
            let eve = try await service.client.get("/v1/posts?as=eve").json["posts"].array.first ?? .null
            #expect(eve["liked"].bool == false)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.first?["liked"] == .null)
        }
    }

    @Test("16: A photo of a feed has its size and a placeholder before it is loaded")
    func photo() async throws {
        try await withRules { service in
            _ = try await service.client.post(try fixture("photo.jpg"))
            let post = try await service.client.get("/v1/people/maria/feed").json["posts"].array.first ?? .null
            let photo = post["photos"].array.first ?? .null
            #expect(photo["width"].int ?? 0 > 0 && photo["height"].int ?? 0 > 0)
            #expect(photo["placeholder"].string?.isEmpty == false)
            #expect(post["kind"].string == "photo")
        }
    }

    @Test("C9, 17: Each post has its kind, also an unknown one, so that clients can skip it")
    func kinds() async throws {
        try await withRules { service in
            let author = #""author":{"uid":"maria"},"timestamp":1"#
            try await put("posts/a", #"{\#(author),"kind":"poll","question":"why?"}"#, service)
            try await put("posts/b", #"{\#(author),"full_url":"https://example.com/a.jpg"}"#, service)
            try await put("posts/c", #"{\#(author),"full_url":"https://example.com/a.jpg","text":"x"}"#, service)
            try await put("posts/d", #"{\#(author),"text":"x"}"#, service)
            for path in ["/v1/people/maria/feed", "/v1/posts"] {
                let posts = try await service.client.get(path).json["posts"].array
                #expect(posts.map { $0["kind"].string } == ["text", "photo_text", "photo", "poll"])
            }
        }
    }

    @Test("18: A hashtag's posts are listed, the last published first, in any script and case, while they contain it")
    func hashtag() async throws {
        try await withRules { service in
            let first = try await service.client.post("%23Caf%C3%A9") ?? ""
            let second = try await service.client.post("at%20the%20%23caf%C3%A9", by: "jan") ?? ""
            _ = try await service.client.post("%23cafeteria")
            let path = "/v1/hashtags/CAF%C3%89/posts"
            #expect(try await ids(path, service) == [second, first])
            #expect(try await ids("\(path)?limit=1", service) == [second])
            try await put("posts/\(second)/text", #""no tag any more""#, service)
            #expect(try await ids(path, service) == [first])
            try await put("posts/\(second)/text", ##""#café again""##, service)
            #expect(try await ids(path, service) == [second, first])
            _ = try await service.client.ask(.delete, "/v1/posts/\(first)")
            #expect(try await ids(path, service) == [second])
            #expect(try await ids("/v1/hashtags/nothing/posts", service) == [])
            for tag in ["12", "a%20b", "%23", "a%2Fb"] {
                #expect(try await service.client.get("/v1/hashtags/\(tag)/posts").status == 404, "\(tag)")
            }
        }
    }

    @Test("P14, 19: A person's posts are listed and counted")
    func profile() async throws {
        try await withRules { service in
            let ids = [try await service.client.post("one") ?? "", try await service.client.post("two") ?? ""]
            _ = try await service.client.post("foreign", by: "jan")
            #expect(try await self.ids("/v1/people/maria/posts", service) == ids.reversed())
            #expect(try await service.tree.get("stats/people/maria/posts") == 2)
            _ = try await service.client.ask(.delete, "/v1/posts/\(ids[0])")
            #expect(try await self.ids("/v1/people/maria/posts", service) == [ids[1]])
            #expect(try await service.tree.get("stats/people/maria/posts") == 1)
            #expect(try await service.client.get("/v1/people/nobody/posts").status == 404)
        }
    }

    @Test("A user who blocks another and the blocked one do not see each other in any list")
    func blocked() async throws {
        try await withRules { service in
            let own = try await service.client.post("own%20%23sun") ?? ""
            let jans = try await service.client.post("hello%20%23sun", by: "jan") ?? ""
            for (id, uid) in [(own, "jan"), (own, "eve")] {
                let comment = #"{"author":{"uid":"\#(uid)"},"text":"\#(uid)","timestamp":5}"#
                try await put("comments/\(id)/\(uid)", comment, service)
            }
            try await put("blocking/maria/jan", "true", service)
            for path in ["/v1/posts", "/v1/hashtags/sun/posts"] {
                #expect(try await ids("\(path)?as=maria", service) == [own])
                #expect(try await ids("\(path)?as=jan", service) == [jans])
                #expect(try await ids("\(path)?as=eve", service) == [jans, own])
            }
            #expect(try await ids("/v1/people/jan/posts?as=maria", service) == [])
            #expect(try await ids("/v1/people/maria/posts?as=jan", service) == [])
            let post = try await service.client.get("/v1/posts?as=maria").json["posts"].array.first ?? .null
            #expect(post["comments"].array.map { $0["text"].string } == ["eve"])
        }
    }

    @Test(
        "A list with many skipped posts is complete: in one page, or where records are counted, in shorter ones",
        arguments: [("/v1/posts", 1...1), ("/v1/hashtags/sun/posts", 2...19)])
    func passedOver(path: String, pageCounts: ClosedRange<Int>) async throws {
        try await withRules { service in
            let last = try await service.client.post("last%20%23sun")
            var update = MultiPathUpdate()
            for number in 0..<700 {
                update[try TreePath("posts/p\(number)")] = ["timestamp": 1, "text": "#sun", "author": ["uid": "jan"]]
            }
            try await service.tree.update(update)
            try await put("blocking/maria/jan", "true", service)
            var (seen, next, count): ([String?], String?, Int) = ([], nil, 0)
            repeat {
                let query = "?as=maria&limit=2" + (next.map { "&before=\($0)" } ?? "")
                let page = try await service.client.get(path + query).json
                seen += page["posts"].array.map { $0["post_id"].string }
                next = page["next"].string
                #expect(page["has_more"].bool == (next != nil))
                count += 1
            } while next != nil && count < 20
            #expect(seen == [last] && pageCounts.contains(count))
        }
    }

    @Test("Data that may not be read is not shown with posts")
    func rules() async throws {
        try await withRules { service in
            let id = try await service.client.post("hello") ?? ""
            try await put("likes/\(id)/jan", "1", service)
            try await put("comments/\(id)/c", #"{"author":{"uid":"jan"},"text":"x","timestamp":5}"#, service)
            let rules = #"{"rules":{"posts":{".read":true},"people":{".read":true}}}"#
            try await service.tree.setRules(rules)
            let headers = try service.headers(of: "maria")
            let page = try await service.tcpClient.ask(.get, "/v1/posts", headers: headers)
            let post = page.json["posts"].array.first ?? .null
            #expect(post["post_id"].string == id && post["counts"] == .null && post["comments"] == .null)
            #expect(try await service.tcpClient.ask(.get, "/v1/hashtags/sun/posts", headers: headers).status == 401)
        }
    }
}
