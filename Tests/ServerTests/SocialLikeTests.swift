import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Likes of posts", .timeLimit(.minutes(20)))
struct SocialLikeTests {
    private func number(ofLikes id: String, _ service: RoutedService) async throws -> Int {
        try await service.client.get("/stats/posts/\(id)/likes.json").json.int ?? 0
    }

    @Test("P24, 20, 21: Liking twice is liking once, from the first time on; so is the removal of a like")
    func idempotent() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let (path, ann) = ("/v1/posts/\(id)/likes/ann", try service.headers(of: "ann"))
            let first = try await service.tcpClient.ask(.put, path, headers: ann)
            #expect(first.status == 200, "\(first.text)")
            #expect(
                first.json.withoutTimes
                    == .object(
                        ["post_id": .string(id), "uid": .string("ann"), "liked": .bool(true), "likes": .number(1)]))
            let time = try await service.client.get("/likes/\(id)/ann.json").json.int
            let second = try await service.tcpClient.ask(.put, path, headers: ann)
            #expect(second.json == first.json)
            #expect(first.headers[.named("tintype-token")] != nil)
            #expect(try await service.client.get("/likes/\(id)/ann.json").json.int == time && time != nil)
            #expect(first.json["created"].int == time && first.json["updated"].int == time)
            for _ in 0..<2 {
                let end = try await service.tcpClient.ask(.delete, path, headers: ann)
                #expect(
                    end.json
                        == .object(
                            ["post_id": .string(id), "uid": .string("ann"), "liked": .bool(false), "likes": .number(0)])
                )
            }
            #expect(try await service.client.get("/likes.json").text == "null")
            let changes = try await service.tree.changes(since: .start, limit: 1000)
            let paths = changes.flatMap { $0.writes.map(\.path.description) }
            #expect(paths.filter { $0.hasPrefix("/likes/") }.count == 2)
        }
    }

    @Test("22: An id that is not a post's is not found", arguments: ["nonsense", "-OaBcDeFgHiJkLmNoPqR"])
    func missing(id: String) async throws {
        try await withRoutes { service in
            for (method, path) in [(HTTPRequest.Method.put, "/ann"), (.delete, "/ann"), (.get, "")] {
                let answer = try await service.client.ask(method, "/v1/posts/\(id)/likes\(path)")
                #expect(answer.status == 404 && answer.json["code"].string == "not_found", "\(method)")
            }
            let nobody = try await service.client.ask(.put, "/v1/posts/\(id)/likes/no%20body")
            #expect(nobody.status == 404)
            #expect(try await service.client.get("/likes.json").text == "null")
        }
    }

    @Test("Users like for themselves, admins for all users, and strangers for none")
    func access() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/likes/ann"
            for method in [HTTPRequest.Method.put, .delete] {
                #expect(try await service.tcpClient.ask(method, path).status == 401)
                let other = try await service.tcpClient.ask(method, path, headers: try service.headers(of: "bob"))
                #expect(other.status == 403 && other.json["code"].string == "not_allowed")
                #expect(try await service.client.ask(method, path).status == 200)
            }
        }
    }

    @Test("A like is refused by the route and by the rules if one of the user and the author has blocked the other")
    func blocked() async throws {
        try await withRoutes { service in
            try await service.tree.setRules(DefaultRules.database, onlyIfNone: true)
            let id = try await service.client.post("hello") ?? ""
            for (blocker, blocked) in [("maria", "ann"), ("bob", "maria")] {
                let answer = try await service.client.ask(
                    .put, "/blocking/\(blocker)/\(blocked).json", body: .json("true"))
                #expect(answer.status == 200)
            }
            for (uid, isAllowed) in [("ann", false), ("bob", false), ("eve", true), ("maria", true)] {
                let headers = try service.headers(of: uid)
                let route = try await service.tcpClient.ask(.put, "/v1/posts/\(id)/likes/\(uid)", headers: headers)
                #expect(route.status == (isAllowed ? 200 : 403), "\(uid): \(route.text)")
                let raw = try await service.tcpClient.ask(
                    .put, "/likes/\(id)/\(uid).json", headers: headers, body: .json(#"{".sv":"timestamp"}"#))
                #expect(raw.status == (isAllowed ? 200 : 401), "\(uid): \(raw.text)")
            }
            #expect(try await number(ofLikes: id, service) == 2)
        }
    }

    @Test("Pages of a post's likes and of a person's likes have each entry once, and end exactly")
    func pages() async throws {
        try await withRoutes { service in
            var ids: [String] = []
            for number in 0..<3 { ids.append(try await service.client.post("p\(number)") ?? "") }
            for number in 0..<5 {
                for id in ids {
                    let answer = try await service.client.ask(.put, "/v1/posts/\(id)/likes/u\(number)")
                    #expect(answer.status == 200)
                }
            }
            _ = try await service.client.ask(.put, "/people/u2/full_name.json", body: .json(#""Zoe""#))
            let path = "/v1/posts/\(ids[0])/likes"
            let all = try await service.client.get(path).json
            #expect(all["people"].array.map { $0["uid"].string } == ["u0", "u1", "u2", "u3", "u4"])
            #expect(all["people"][2]["full_name"].string == "Zoe" && all["people"][2]["timestamp"].int != nil)
            #expect(all["likes"].int == 5 && all["has_more"].bool == false && all["next"].string == nil)
            for (path, key, names, cursor) in [
                (path, "people", ["u0", "u1", "u2", "u3", "u4"], "after"),
                ("/v1/people/u1/likes", "posts", ids.reversed(), "before"),
            ] {
                for limit in 1...6 {
                    var (seen, next): ([String], String?) = ([], nil)
                    repeat {
                        let query = "?limit=\(limit)" + (next.map { "&\(cursor)=\($0)" } ?? "")
                        let page = try await service.client.get(path + query).json
                        seen += page[key].array.compactMap { $0[key == "posts" ? "post_id" : "uid"].string }
                        next = page["next"].string
                        #expect(page["has_more"].bool == (next != nil))
                        #expect(page[key].array.count == limit || next == nil)
                    } while next != nil
                    #expect(seen == Array(names), "\(path) \(limit)")
                }
            }
            for query in ["limit=0", "limit=201", "limit=x", "after=a%2Fb", "after="] {
                #expect(try await service.client.get("\(path)?\(query)").status == 400, "\(query)")
            }
            #expect(try await service.client.get("/v1/people/stranger/likes").status == 404)
        }
    }

    @Test(
        "FriendlyPix 1: Likes are listed by post and by person, and the list by person cannot be written")
    func bothWays() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            _ = try await service.client.ask(.put, "/v1/posts/\(id)/likes/ann")
            _ = try await service.client.ask(.put, "/likes/\(id)/bob.json", body: .json("5"))
            _ = try await service.client.ask(.patch, "/.json", body: .json(#"{"likes/\#(id)/eve":6}"#))
            #expect(try await service.client.get("/likes/\(id).json?shallow=true").json.keys == ["ann", "bob", "eve"])
            for uid in ["ann", "bob", "eve"] {
                let page = try await service.client.get("/v1/people/\(uid)/likes").json
                #expect(page["posts"].array.map { $0["post_id"].string } == [id], "\(uid)")
            }
            #expect(try await number(ofLikes: id, service) == 3)
            // One write deletes all of them, without naming each.
            _ = try await service.client.ask(.delete, "/likes/\(id).json")
            #expect(try await service.client.get("/v1/people/ann/likes").status == 404)
            #expect(try await service.client.get("/v1/people/bob/likes").status == 404)
            #expect(try await number(ofLikes: id, service) == 0)
        }
    }

    @Test("20, 21: Hundreds of concurrent likes and removals, by route and raw, leave an exact counter")
    func concurrent() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<16 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(worker))
                        for _ in 0..<40 {
                            let uid = "u\(generator.below(60))"
                            let (route, raw) = ("/v1/posts/\(id)/likes/\(uid)", "/likes/\(id)/\(uid).json")
                            let answer =
                                switch generator.below(5) {
                                case 0, 1: try await service.client.ask(.put, route)
                                case 2: try await service.client.ask(.delete, route)
                                case 3: try await service.client.ask(.put, raw, body: .json(#"{".sv":"timestamp"}"#))
                                default: try await service.client.ask(.delete, raw)
                                }
                            #expect(answer.status == 200, "\(answer.text)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let there = try await service.client.get("/likes/\(id).json?shallow=true").json.keys
            #expect(try await number(ofLikes: id, service) == there.count && !there.isEmpty)
            let page = try await service.client.get("/v1/posts/\(id)/likes?limit=200").json
            #expect(Set(page["people"].array.compactMap { $0["uid"].string }) == there)
            #expect(page["likes"].int == there.count)
        }
    }

    @Test("33: A deleted post's likes are deleted with it, and it cannot be liked any more")
    func deletedPost() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            _ = try await service.client.ask(.put, "/v1/posts/\(id)/likes/ann")
            #expect(try await service.client.ask(.delete, "/v1/posts/\(id)").status == 200)
            #expect(try await service.client.ask(.put, "/v1/posts/\(id)/likes/bob").status == 404)
            try await eventually { try await service.client.get("/v1/people/ann/likes").status == 404 }
            #expect(try await service.client.get("/likes.json").text == "null")
            #expect(try await service.client.get("/stats/posts.json").text == "null")
        }
    }
}

extension RequestBody {
    fileprivate static func json(_ text: String) -> RequestBody { .bytes(Array(text.utf8)) }
}
