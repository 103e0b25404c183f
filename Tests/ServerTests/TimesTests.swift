import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Answers say when something was created and last changed", .timeLimit(.minutes(20)))
struct TimesTests {
    /// The two times of a document.
    private struct Times: Equatable {
        let created: Int
        let updated: Int

        init(_ json: JSON, _ names: (String, String) = ("created", "updated")) throws {
            created = try #require(json[names.0].int, "\(json)")
            updated = try #require(json[names.1].int, "\(json)")
        }

        var isNew: Bool { created == updated }
    }

    /// Waits until the clock of the service shows another millisecond.
    private func nextMoment(_ service: RoutedService) async throws {
        let start = WallClock.now()
        while WallClock.now() <= start { await Task.yield() }
    }

    private func withPost(_ body: @Sendable (RoutedService, _ id: String) async throws -> Void) async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "ann", "bob")
            try await body(service, try #require(try await service.client.post("hello")))
        }
    }

    @Test("A post has the same times wherever it is shown, which likes and comments do not change, and a write does")
    func posts() async throws {
        try await withPost { service, id in
            func shown() async throws -> Set<[Int?]> {
                var times: Set<[Int?]> = []
                let lists = ["/v1/posts", "/v1/people/maria/posts", "/v1/people/maria/feed", "/v1/people/ann/likes"]
                for path in lists {
                    let list = try await service.client.get(path)
                    let post = list.json["posts"].array.first { $0["post_id"].string == id } ?? .null
                    times.insert([post["created"].int, post["updated"].int])
                }
                let post = try await service.client.get("/v1/posts/\(id)").json
                times.insert([post["created"].int, post["updated"].int])
                return times
            }
            let like = try await service.ask(.put, "/v1/posts/\(id)/likes/ann", as: "ann")
            let first = try await service.client.get("/v1/posts/\(id)").json
            let times = try Times(first)
            #expect(times.isNew && times.created >= first["timestamp"].int ?? .max)
            try await nextMoment(service)
            let comment = try await service.ask(.post, "/v1/posts/\(id)/comments", as: "ann", #"{"text":"x"}"#)
            #expect(like.status == 200 && comment.status == 201)
            #expect(try await shown() == [[times.created, times.updated]])
            let unchanged = try await service.client.ask(.put, "/posts/\(id)/text.json", body: .json(#""hello""#))
            #expect(unchanged.status == 200)
            #expect(try await shown() == [[times.created, times.updated]])
            _ = try await service.client.ask(.put, "/posts/\(id)/text.json", body: .json(#""changed""#))
            let changed = try Times(try await service.client.get("/v1/posts/\(id)").json)
            #expect(changed.created == times.created && changed.updated > times.updated)
            #expect(try await shown() == [[changed.created, changed.updated]])
            #expect(try await service.client.get("/posts/\(id).json?shallow=true").json["created"] == .null)
        }
    }

    @Test("A client that writes created and updated into a post does not change what is shown")
    func forged() async throws {
        try await withPost { service, id in
            let times = try Times(try await service.client.get("/v1/posts/\(id)").json)
            _ = try await service.client.ask(
                .patch, "/posts/\(id).json", body: .json(#"{"created":1,"updated":2}"#))
            let shown = try Times(try await service.client.get("/v1/posts/\(id)").json)
            #expect(shown.created == times.created && shown.updated >= times.updated)
        }
    }

    @Test("A comment has its times, in lists of posts too; its author changes the second")
    func comments() async throws {
        try await withPost { service, id in
            let path = "/v1/posts/\(id)/comments"
            let made = try await service.ask(.post, path, as: "ann", #"{"text":"x"}"#).json
            let times = try Times(made)
            #expect(times.isNew && times.created == made["timestamp"].int)
            try await nextMoment(service)
            let comment = "\(path)/\(made["comment_id"].string ?? "")"
            let edited = try await service.ask(.patch, comment, as: "ann", #"{"text":"y"}"#).json
            let changed = try Times(edited)
            #expect(changed.created == times.created && changed.updated == edited["edited"].int)
            #expect(try Times(try await service.client.get(comment).json) == changed)
            #expect(try Times(try await service.client.get(path).json["comments"][0]) == changed)
            let post = try await service.client.get("/v1/posts").json["posts"][0]
            #expect(try Times(post["comments"][0]) == changed)
            let again = try await service.ask(.patch, comment, as: "ann", #"{"text":"y"}"#).json
            #expect(try Times(again) == changed)
        }
    }

    @Test("A person has times, which a write of the whole record in the database changes only if the profile changes")
    func people() async throws {
        try await withPost { service, _ in
            let times = try Times(try await service.client.get("/v1/people/ann").json)
            #expect(times.isNew)
            let listed = try await service.client.get("/v1/people?search=ann").json["people"][0]
            #expect(try Times(listed) == times)
            try await nextMoment(service)
            let followed = try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann").json
            #expect(try Times(followed).isNew && Times(followed).created > times.created)
            #expect(try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann").json == followed)
            let same = #"{"full_name":"ann","following":{"bob":true}}"#
            _ = try await service.client.ask(.put, "/people/ann.json", body: .json(same))
            #expect(try Times(try await service.client.get("/v1/people/ann").json) == times)
            let other = #"{"full_name":"Ann","following":{"bob":true}}"#
            _ = try await service.client.ask(.put, "/people/ann.json", body: .json(other))
            let changed = try Times(try await service.client.get("/v1/people/ann").json)
            #expect(changed.created == times.created && changed.updated > times.updated)
            let blocked = try await service.ask(.put, "/v1/people/ann/blocking/bob", as: "ann").json
            #expect(try Times(blocked).isNew)
            let end = try await service.ask(.delete, "/v1/people/ann/blocking/bob", as: "ann").json
            #expect(end["created"] == .null && end["updated"] == .null)
        }
    }

    @Test("An audience and each member have times; a member's role changes those of the member")
    func audiences() async throws {
        try await withPost { service, _ in
            let body = #"{"name":"7b","kind":"class","members":{"ann":"reader"}}"#
            let made = try await service.ask(.put, "/v1/audiences/c", as: "maria", body).json
            let (times, ann) = (try Times(made), try Times(made["member_times"]["ann"]))
            #expect(times.isNew && ann == times)
            #expect(made["member_times"].keys == ["ann", "maria"])
            let listed = try await service.ask(.get, "/v1/audiences", as: "ann").json["audiences"][0]
            #expect(try Times(listed) == times && listed["member_times"] == .null)
            try await nextMoment(service)
            let path = "/v1/audiences/c/members/ann"
            let changed = try Times(try await service.ask(.put, path, as: "maria", #"{"role":"poster"}"#).json)
            #expect(changed.created == ann.created && changed.updated > ann.updated)
            let shown = try await service.ask(.get, "/v1/audiences/c", as: "ann").json
            #expect(try Times(shown) == times)
            #expect(try Times(shown["member_times"]["ann"]) == changed)
            #expect(try Times(shown["member_times"]["maria"]).isNew)
            let named = try await service.ask(.patch, "/v1/audiences/c", as: "maria", #"{"name":"8b"}"#).json
            #expect(try Times(named).updated > times.updated && Times(named).created == times.created)
            let post = try await service.ask(.post, "/v1/uploads?text=x&audiences=c", as: "ann").json
            let story = try await service.ask(.get, "/v1/audiences/c/posts", as: "maria").json["posts"][0]
            #expect(try Times(story) == Times(post["post"]) && Times(story).isNew)
            let mine = try await service.ask(.get, "/v1/people/maria/stories", as: "maria").json["posts"][0]
            #expect(try Times(mine) == Times(story))
        }
    }

    @Test("A notification changes when it is read; an announcement and a quota have times")
    func others() async throws {
        try await withPost { service, id in
            _ = try await service.ask(.put, "/v1/posts/\(id)/likes/ann", as: "ann")
            let path = "/v1/people/maria/notifications"
            let unread = try await service.ask(.get, path, as: "maria").json["notifications"][0]
            let times = try Times(unread)
            #expect(times.isNew && times.created == unread["timestamp"].int && unread["unread"].bool == true)
            try await nextMoment(service)
            let read = try await service.ask(.post, "\(path)/read", as: "maria", #"{"all":true}"#)
            #expect(read.status == 200, "\(read.text)")
            let shown = try Times(try await service.ask(.get, path, as: "maria").json["notifications"][0])
            #expect(shown.created == times.created && shown.updated > times.updated)
            let announced = try await service.client.ask(
                .post, "/v1/announcements", headers: [.contentType: "application/json"], body: .json(#"{"text":"x"}"#))
            #expect(try Times(announced.json).isNew, "\(announced.text)")
            let quota = try await service.client.ask(
                .put, "/v1/usage/ann/quota", headers: [.contentType: "application/json"], body: .json(#"{"quota":5}"#))
            #expect(try Times(quota.json, ("quota_created", "quota_updated")).isNew, "\(quota.text)")
            #expect(try await service.client.get("/v1/usage/bob").json["quota_created"] == .null)
        }
    }

    @Test("An upload has its times by both names")
    func uploads() async throws {
        try await withPost { service, _ in
            let draft = try await service.ask(.post, "/v1/uploads?draft=true", as: "ann").json
            #expect(draft["created"].int == draft["created_at"].int && draft["created"].int != nil, "\(draft)")
            #expect(draft["updated"].int == draft["updated_at"].int && draft["updated"].int != nil)
        }
    }
}

extension RequestBody {
    fileprivate static func json(_ text: String) -> RequestBody { .bytes(Array(text.utf8)) }
}
