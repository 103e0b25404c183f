import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("The copy of a reader's device, by /v1/sync", .timeLimit(.minutes(20)))
struct SyncTests {
    /// Runs a test's body against routes with people, of whom maria follows jan.
    private func withPeople(_ body: @Sendable (RoutedService) async throws -> Void) async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan", "eve")
            #expect(try await service.ask(.put, "/v1/people/maria/following/jan", as: "maria").status == 200)
            try await service.finishJobs()
            try await body(service)
        }
    }

    private func post(_ text: String, by uid: String, _ service: RoutedService) async throws -> String {
        let answer = try await service.ask(.post, "/v1/uploads?text=\(text)", as: uid)
        return try #require(answer.json["post_id"].string, "\(answer.text)")
    }

    /// Returns the answer to a request since a position.
    private func sync(
        _ service: RoutedService, since: String? = nil, as uid: String? = "maria", _ query: String = ""
    ) async throws -> Answer {
        let since = since.map { "since=\($0)&" } ?? ""
        return try await service.ask(.get, "/v1/sync?\(since)\(query)", as: uid)
    }

    /// Returns the names of the parts in an answer.
    private func parts(_ answer: Answer) -> Set<String> {
        guard case .object(let members) = answer.json else { return [] }
        return Set(members.keys).subtracting(["next", "more"])
    }

    @Test("The first answer has every part from its beginning, and the next one nothing until something changes")
    func beginning() async throws {
        try await withPeople { service in
            let id = try await post("hello", by: "jan", service)
            let first = try await sync(service)
            #expect(first.status == 200, "\(first.text)")
            #expect(parts(first) == ["feed", "stories", "notifications", "audiences", "uploads"])
            for part in parts(first) { #expect(first.json[part]["reset"].bool == true, "\(part)") }
            #expect(first.json["feed"]["posts"].array.map { $0["post_id"].string } == [id])
            let next = try #require(first.json["next"].string)
            let second = try await sync(service, since: next)
            #expect(parts(second).isEmpty && second.json["more"].bool == false, "\(second.text)")
            #expect(try await service.ask(.put, "/v1/posts/\(id)/likes/eve", as: "eve").status == 200)
            let third = try await sync(service, since: next)
            let counts = third.json["counts"].array
            #expect(parts(third) == ["counts"] && counts.count == 1, "\(third.text)")
            #expect(counts.first?["post_id"].string == id && counts.first?["likes"].int == 1)
            #expect(counts.first?["liked"].bool == false)
        }
    }

    @Test("A thousand changes are one answer, with each post once")
    func many() async throws {
        try await withPeople { service in
            let id = try await post("hello", by: "jan", service)
            let next = try #require(try await sync(service).json["next"].string)
            for number in 0..<500 {
                try await service.tree.set(ReactionNodes.like() / TreeKey(id) / TreeKey("u\(number)"), to: 1)
                try await service.tree.set(PostNodes.post() / TreeKey(id) / "text", to: .string("\(number)"))
            }
            let answer = try await sync(service, since: next)
            let posts = answer.json["feed"]["posts"].array
            #expect(posts.count == 1 && posts.first?["text"].string == "499")
            #expect(posts.first?["counts"]["likes"].int == 500)
            #expect(parts(answer) == ["feed"] && answer.json["more"].bool == false)
        }
    }

    @Test("Only the reader's own part is sent: no posts, audiences, notifications and uploads of others")
    func others() async throws {
        try await withPeople { service in
            let next = try #require(try await sync(service).json["next"].string)
            let strange = try await post("secret", by: "eve", service)
            for (method, path, uid, body) in [
                (HTTPRequest.Method.put, "/v1/audiences/c", "eve", #"{"name":"secret","kind":"class"}"#),
                (.patch, "/v1/audiences/c", "eve", #"{"name":"secret 2"}"#),
                (.post, "/v1/uploads?text=secret&audiences=c", "eve", nil),
                (.put, "/v1/posts/\(strange)/likes/jan", "jan", nil),
                (.put, "/v1/people/eve/following/jan", "eve", nil),
            ] {
                let answer = try await service.ask(method, path, as: uid, body)
                #expect([200, 201].contains(answer.status), "\(path): \(answer.text)")
            }
            let answer = try await sync(service, since: next)
            #expect(parts(answer).isEmpty, "\(answer.text)")
            // A post that the reader shows from another list.
            let named = try await sync(service, since: next, "posts=\(strange)")
            #expect(named.json["posts"]["posts"].array.map { $0["post_id"].string } == [strange])
            #expect(try await service.ask(.put, "/v1/people/eve/blocking/maria", as: "eve").status == 200)
            let blocked = try await sync(service, since: next, "posts=\(strange)")
            #expect(!blocked.text.contains("secret"), "\(blocked.text)")
            #expect(blocked.json["posts"]["reset"].bool == true && blocked.json["posts"]["posts"].array.isEmpty)
        }
    }

    @Test("A block hides what both have written everywhere, and its end shows it again")
    func blocks() async throws {
        try await withPeople { service in
            let audience = #"{"name":"7b","kind":"class","members":{"maria":"reader"}}"#
            #expect(try await service.ask(.put, "/v1/audiences/c", as: "eve", audience).status == 201)
            let story = try await service.ask(.post, "/v1/uploads?text=story&audiences=c", as: "eve")
            #expect(story.status == 201, "\(story.text)")
            let post = try await post("hello", by: "jan", service)
            let comment = try await service.ask(.post, "/v1/posts/\(post)/comments", as: "eve", #"{"text":"from eve"}"#)
            #expect(comment.status == 201, "\(comment.text)")
            var copy = SyncCopy()
            try await copy.catchUp(service)
            #expect(copy.stories.count == 1 && copy.posts[post]?["comments"].array.count == 1)
            for method in [HTTPRequest.Method.put, .delete] {
                #expect(try await service.ask(method, "/v1/people/maria/blocking/eve", as: "maria").status == 200)
                try await service.finishJobs()
                try await copy.catchUp(service)
                let difference = copy.difference(from: try await SyncCopy.whole(service))
                #expect(difference.isEmpty, "\(difference.joined(separator: "\n"))")
                guard method == .put else { continue }
                // The actions of a blocked person are not sent at all.
                let edited = try await service.ask(.post, "/v1/uploads?text=another&audiences=c", as: "eve")
                #expect(edited.status == 201, "\(edited.text)")
                let answer = try await sync(service, since: copy.next)
                #expect(parts(answer).isEmpty, "\(answer.text)")
            }
        }
    }

    @Test("A post leaves the copy even if its author changes twice meanwhile")
    func authors() async throws {
        try await withPeople { service in
            let id = "-OaBcDeFgHiJkLmNoPqR"
            let node = PostNodes.post() / (try TreeKey(id))
            let jan: TreeValue = ["author": ["uid": "jan"], "text": "hello", "timestamp": 1000]
            try await service.tree.set(node, to: jan)
            let first = try await sync(service)
            #expect(first.json["feed"]["posts"].array.map { $0["post_id"].string } == [id], "\(first.text)")
            let next = try #require(first.json["next"].string)
            for uid in ["eve", "tom"] { try await service.tree.set(node / "author" / "uid", to: .string(uid)) }
            let answer = try await sync(service, since: next)
            #expect(answer.json["feed"]["removed"].array == [.string(id)], "\(answer.text)")
        }
    }

    @Test("The copy is replaced if the rules let the reader see more or less")
    func sight() async throws {
        try await withPeople { service in
            _ = try await post("hello", by: "jan", service)
            let open = try #require(try await sync(service).json["next"].string)
            try await service.tree.setRules(RulesPreset.classroom.database)
            let closed = try await sync(service, since: open)
            #expect(closed.json["feed"]["reset"].bool == true && closed.json["feed"]["posts"].array.isEmpty)
            #expect(!closed.text.contains("hello"), "\(closed.text)")
            let next = try #require(closed.json["next"].string)
            #expect(parts(try await sync(service, since: next)).isEmpty)
            try await service.setDefaultRules()
            let reopened = try await sync(service, since: next)
            #expect(reopened.json["feed"]["posts"].array.count == 1, "\(reopened.text)")
        }
    }

    @Test(
        "The copy is replaced after a position that the service does not know, or no longer",
        arguments: ["99999999", "99999999.f"])
    func unknown(since: String) async throws {
        try await withPeople { service in
            let answer = try await sync(service, since: since)
            #expect(answer.status == 200 && answer.json["feed"]["reset"].bool == true, "\(answer.text)")
        }
    }

    @Test("Bad requests are refused")
    func refusals() async throws {
        try await withPeople { service in
            let tooMany = Array(repeating: 0, count: 101).indices.map { "p\($0)" }.joined(separator: "%20")
            for (query, uid, status) in [
                ("since=x", "maria", 400), ("since=1.g", "maria", 400), ("since=-1", "maria", 400),
                ("since=1.f.f", "maria", 400), ("limit=0", "maria", 400), ("posts=\(tooMany)", "maria", 400),
                ("posts=a%2Fb", "maria", 400), ("", nil, 401),
            ] as [(String, String?, Int)] {
                let answer = try await service.ask(.get, "/v1/sync?\(query)", as: uid)
                #expect(answer.status == status, "\(query): \(answer.text)")
            }
            // The owner of the service has no feed, but may ask for a user.
            let owner = try await service.client.get("/v1/sync")
            #expect(owner.status == 400 && owner.json["code"].string == "bad_user", "\(owner.text)")
            #expect(try await service.client.get("/v1/sync?as=maria").status == 200)
        }
    }

    @Test("An upload is sent to its owner as it goes on, and as a post once it is published")
    func uploads() async throws {
        try await withPeople { service in
            let next = try #require(try await sync(service).json["next"].string)
            let draft = try await service.ask(.post, "/v1/uploads?text=later&draft=true", as: "maria")
            let id = try #require(draft.json["upload_id"].string, "\(draft.text)")
            let begun = try await sync(service, since: next)
            #expect(begun.json["uploads"]["uploads"].array.map { $0["state"].string } == ["draft"], "\(begun.text)")
            #expect(try await sync(service).json["uploads"]["uploads"].array.map { $0["upload_id"].string } == [id])
            #expect(parts(try await sync(service, since: next, as: "jan")).isEmpty)
            let published = try await service.ask(.post, "/v1/uploads/\(id)/publish", as: "maria")
            #expect(published.status == 201, "\(published.text)")
            let ended = try await sync(service, since: next)
            #expect(ended.json["uploads"]["uploads"].array.map { $0["state"].string } == ["published"], "\(ended.text)")
            #expect(ended.json["feed"]["posts"].array.map { $0["post_id"].string } == [id])
        }
    }
}
