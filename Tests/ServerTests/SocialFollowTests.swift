import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Follows and blocks, by their routes and by the database", .timeLimit(.minutes(20)))
struct SocialFollowTests {
    private func withPeople(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("ann", "bob", "eve")
            try await body(service)
        }
    }

    private func uids(_ path: String, as uid: String? = nil, _ service: Service) async throws -> [String] {
        try await service.ask(.get, path, as: uid).json["people"].array.compactMap { $0["uid"].string }
    }

    /// Expects the follow of Bob by Ann in all its parts: the mark, its mirror, the numbers, and the lists.
    private func expectFollow(_ mark: TreeValue?, _ service: Service) async throws {
        #expect(try await service.tree.get("people/ann/following/bob") == mark)
        #expect(try await service.tree.get("followers/bob/ann") == mark.map { _ in true })
        let isThere = mark != nil
        #expect(try await uids("/v1/people/ann/following", service) == (isThere ? ["bob"] : []))
        #expect(try await uids("/v1/people/bob/followers", service) == (isThere ? ["ann"] : []))
        let bob = try await service.ask(.get, "/v1/people/bob", as: "ann").json
        #expect(bob["followed"].bool == isThere && bob["blocked"].bool == false, "\(bob)")
        #expect(bob["counts"]["followers"].int == (isThere ? 1 : 0))
    }

    @Test("6: A person without any posts can be followed, and the mark is true, unlike in the iOS app")
    func nobodysPosts() async throws {
        try await withPeople { service in
            let answer = try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann")
            #expect(answer.status == 200 && answer.headers[.named("tintype-token")] != nil, "\(answer.text)")
            #expect(
                answer.json.withoutTimes
                    == .object(["follower": .string("ann"), "followee": .string("bob"), "following": .bool(true)]))
            try await expectFollow(true, service)
        }
    }

    @Test(
        "6: A client that writes one side of a follow, or both, gets the result of the route",
        arguments: [
            #"{"people/ann/following/bob":true}"#, #"{"followers/bob/ann":true}"#,
            #"{"people/ann/following/bob":true,"followers/bob/ann":true}"#,
        ])
    func raw(update: String) async throws {
        try await withPeople { service in
            let made = try await service.ask(.patch, "/.json", as: "ann", update)
            #expect(made.status == 200, "\(made.text)")
            try await expectFollow(true, service)
            let ended = try await service.ask(.patch, "/.json", as: "ann", update.replacing("true", with: "null"))
            #expect(ended.status == 200, "\(ended.text)")
            try await expectFollow(nil, service)
        }
    }

    @Test("7: Following twice is following once, and the existing mark stays")
    func twice() async throws {
        try await withPeople { service in
            for _ in 0..<2 {
                #expect(try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann").status == 200)
            }
            try await expectFollow(true, service)
            try await service.tree.set("people/ann/following/bob", to: "p1")
            #expect(try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann").status == 200)
            #expect(try await service.tree.get("people/ann/following/bob") == "p1")
        }
    }

    @Test("P14, 7: Many concurrent followers of one person are counted each")
    func many() async throws {
        try await withPeople { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        // Each twice, over the socket and in the database.
                        let uid = "u\(number % 20)"
                        let answer = try await service.client.ask(
                            .put, number < 20 ? "/v1/people/\(uid)/following/bob" : "/followers/bob/\(uid).json",
                            body: number < 20 ? .none : .bytes(Array("true".utf8)))
                        #expect(answer.status == 200, "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await service.tree.get("stats/people/bob") == ["followers": 20])
        }
    }

    @Test(
        "8, 9: Follows and blocks of oneself, of missing people and for other users are refused",
        arguments: [
            ("ann/following/ann", "ann", 422, "oneself"), ("ann/blocking/ann", "ann", 422, "oneself"),
            ("ann/following/zoe", "ann", 404, "not_found"), ("ann/blocking/zoe", "ann", 404, "not_found"),
            ("ann/following/a.b", "ann", 404, "not_found"), ("ann/following/bob", "bob", 403, "not_allowed"),
            ("ann/blocking/bob", "bob", 403, "not_allowed"), ("ann/following/bob", nil, 401, "permission_denied"),
        ] as [(String, String?, Int, String)])
    func refused(path: String, uid: String?, status: Int, code: String) async throws {
        try await withPeople { service in
            let answer = try await service.ask(.put, "/v1/people/\(path)", as: uid)
            #expect(answer.status == status && answer.json["code"].string == code, "\(answer.text)")
            for path in ["followers", "blocking"] as [TreePath] { #expect(try await service.tree.get(path) == nil) }
        }
    }

    @Test("8, 9: The default rules refuse the same follows and blocks as the routes")
    func refusedByRules() async throws {
        try await withPeople { service in
            #expect(try await service.ask(.put, "/v1/people/bob/blocking/ann", as: "bob").status == 200)
            for path in [
                "people/ann/following/ann", "people/ann/following/zoe", "followers/ann/ann", "followers/zoe/ann",
                "people/ann/following/bob", "followers/bob/ann", "followers/bob/eve", "people/eve/following/bob",
                "blocking/ann/ann", "blocking/eve/bob",
            ] {
                let answer = try await service.ask(.put, "/\(path).json", as: "ann", "true")
                #expect(answer.status == 401, "\(path): \(answer.text)")
            }
        }
    }

    @Test("10: A user who unfollows keeps their own posts, loses the other's, and may do so twice")
    func unfollow() async throws {
        try await withPeople { service in
            let own = try await service.client.post("own", by: "ann") ?? ""
            let other = try await service.client.post("other", by: "bob") ?? ""
            _ = try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann")
            try await service.tree.set(try TreePath("feed/ann/\(other)"), to: true)
            for _ in 0..<2 {
                let answer = try await service.ask(.delete, "/v1/people/ann/following/bob", as: "ann")
                #expect(answer.status == 200 && answer.json["following"].bool == false, "\(answer.text)")
            }
            try await expectFollow(nil, service)
            #expect(try await service.tree.get("people/ann/posts") == [TreeKey(unchecked: own): true])
            #expect(try await service.tree.get(try TreePath("feed/ann/\(own)")) == true)
            #expect(try await service.client.get("/v1/posts/\(own)").status == 200)
        }
    }

    @Test("A block ends the follows between the two, prevents new ones, and is visible to its author alone")
    func block() async throws {
        try await withPeople { service in
            _ = try await service.ask(.put, "/v1/people/ann/following/bob", as: "ann")
            _ = try await service.ask(.put, "/v1/people/bob/following/ann", as: "bob")
            for _ in 0..<2 {
                let answer = try await service.ask(.put, "/v1/people/ann/blocking/bob", as: "ann")
                #expect(answer.status == 200 && answer.json["blocking"].bool == true, "\(answer.text)")
            }
            #expect(try await service.tree.get("followers") == nil)
            #expect(try await service.tree.get("people/bob/following") == nil)
            for (uid, other) in [("ann", "bob"), ("bob", "ann")] {
                let answer = try await service.ask(.put, "/v1/people/\(uid)/following/\(other)", as: uid)
                #expect(answer.status == 403 && answer.json["code"].string == "blocked", "\(answer.text)")
            }
            #expect(try await service.ask(.get, "/v1/people/bob", as: "ann").json["blocked"].bool == true)
            #expect(try await service.ask(.get, "/v1/people/ann", as: "bob").json["blocked"].bool == false)
            #expect(try await uids("/v1/people/ann/blocking", as: "ann", service) == ["bob"])
            #expect(try await service.ask(.get, "/v1/people/ann/blocking", as: "bob").status == 403)
            #expect(try await service.ask(.get, "/v1/people/ann/blocking", as: nil).status == 401)
            let ended = try await service.ask(.delete, "/v1/people/ann/blocking/bob", as: "ann")
            #expect(ended.status == 200 && ended.json["blocking"].bool == false)
            #expect(try await service.tree.get("blocked") == nil)
            #expect(try await service.ask(.put, "/v1/people/bob/following/ann", as: "bob").status == 200)
        }
    }

    @Test("An admin who acts for a user sees the data of that user, and has no further rights")
    func actingFor() async throws {
        try await withPeople { service in
            let follow = try await service.client.ask(.put, "/v1/people/ann/following/bob?as=ann")
            #expect(follow.status == 200, "\(follow.text)")
            #expect(try await service.client.get("/v1/people/bob?as=ann").json["followed"].bool == true)
            #expect(try await service.client.get("/v1/people/bob").json["followed"] == .null)
            #expect(try await service.client.ask(.delete, "/v1/people/ann/following/bob?as=bob").status == 403)
            #expect(try await service.client.ask(.delete, "/v1/people/ann/following/bob").status == 200)
        }
    }

    @Test("13, 14: Followers are listed in pages with names and pictures")
    func pages() async throws {
        try await withPeople { service in
            for uid in ["ann", "eve"] { _ = try await service.ask(.put, "/v1/people/\(uid)/following/bob", as: uid) }
            _ = try await service.ask(.patch, "/v1/people/ann", as: "ann", #"{"profile_picture":"/a.jpg"}"#)
            let first = try await service.ask(.get, "/v1/people/bob/followers?limit=1", as: nil).json
            #expect(first["people"][0]["profile_picture"].string == "/a.jpg" && first["has_more"].bool == true)
            let next = try #require(first["next"].string)
            let second = try await service.ask(.get, "/v1/people/bob/followers?limit=1&after=\(next)", as: nil).json
            #expect(second["people"][0]["uid"].string == "eve" && second["has_more"].bool == false)
            #expect(try await service.ask(.get, "/v1/people/zoe/followers", as: nil).status == 404)
        }
    }
}
