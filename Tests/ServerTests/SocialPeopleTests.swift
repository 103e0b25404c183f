import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("People, by their routes and by the database", .timeLimit(.minutes(20)))
struct SocialPeopleTests {
    private func people(_ query: String, _ service: RoutedService) async throws -> [String] {
        let answer = try await service.client.get("/v1/people?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["people"].array.compactMap { $0["uid"].string }
    }

    @Test("1: A person is created by themselves, or by an admin, and can be read by all users")
    func create() async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            let body =
                #"{"full_name":"Ann Lée","profile_picture":"https://example.com/a.jpg","role":"speaker","bio":"Hi."}"#
            let made = try await service.ask(.put, "/v1/people/ann", as: "ann", body)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.headers[.named("tintype-token")] != nil)
            let again = try await service.ask(.put, "/v1/people/ann", as: "ann", body)
            #expect(again.status == 200 && again.json == made.json)
            let read = try await service.ask(.get, "/v1/people/ann", as: nil)
            #expect(read.json["full_name"].string == "Ann Lée" && read.json["role"].string == "speaker", "\(read.text)")
            #expect(read.json["bio"].string == "Hi." && read.json["counts"]["followers"].int == 0)
            #expect(read.json["followed"] == .null)
            let bySocket = try await service.client.ask(
                .put, "/v1/people/bob", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"full_name":"Bob"}"#.utf8)))
            #expect(bySocket.status == 201)
            #expect(
                try await service.ask(.patch, "/v1/people/ann", as: "bob", body).json["code"].string == "not_allowed")
            #expect(try await service.ask(.put, "/v1/people/ann", as: nil, body).status == 401)
            #expect(try await service.ask(.get, "/v1/people/zoe", as: nil).status == 404)
        }
    }

    @Test("Invalid names and profiles are refused as a whole")
    func refused() async throws {
        try await withRoutes { service in
            let long = String(repeating: "x", count: 2000)
            for (body, code) in [
                ("{}", "bad_text"), ("[]", "bad_request"), ("", "bad_request"),
                (#"{"full_name":"A","x":1}"#, "bad_request"),
                (#"{"full_name":5}"#, "bad_request"), (#"{"full_name":""}"#, "bad_text"),
                (#"{"full_name":" \u200B\u3164"}"#, "bad_text"),
                (#"{"full_name":null}"#, "bad_text"), (#"{"full_name":"a\u0000"}"#, "bad_text"),
                (#"{"full_name":"A\nB"}"#, "bad_text"), (#"{"full_name":"\#(long)"}"#, "bad_text"),
                (#"{"full_name":"A","profile_picture":"\#(long)"}"#, "bad_text"),
                (#"{"full_name":"A","profile_picture":"javascript:x"}"#, "bad_text"),
                (#"{"full_name":"A","posts":{}}"#, "bad_request"),
                (#"{"full_name":"A","full_name":"B"}"#, "bad_request"),
            ] {
                let answer = try await service.ask(.put, "/v1/people/ann", as: "ann", body)
                #expect(answer.json["code"].string == code, "\(body.prefix(60)): \(answer.text)")
            }
            let untyped = try await service.client.ask(.put, "/v1/people/ann", body: .bytes(Array("{}".utf8)))
            #expect(untyped.status == 415)
            #expect(try await service.ask(.patch, "/v1/people/ann", as: "ann", "{}").status == 400)
            #expect(try await service.tree.get("people") == nil)
        }
    }

    @Test(
        "P9, 2: A new name, by route or in the database, finds the person at once, and appears in posts and comments",
        arguments: [true, false])
    func rename(byRoute: Bool) async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            let id = try await service.client.post("hello") ?? ""
            let comment: TreeValue = ["author": ["uid": "maria", "full_name": "maria"], "text": "x", "timestamp": 1]
            try await service.tree.set(try TreePath("comments/\(id)/c"), to: comment)
            let before = try await service.tree.token
            if byRoute {
                let answer = try await service.ask(
                    .patch, "/v1/people/maria", as: "maria", #"{"full_name":"Mia Lind"}"#)
                #expect(answer.status == 200, "\(answer.text)")
            } else {
                // A client that does not write the search keys.
                let answer = try await service.client.ask(
                    .put, "/people/maria/full_name.json", body: .bytes(Array(#""Mia Lind""#.utf8)))
                #expect(answer.status == 200)
            }
            let change = try #require(try await service.tree.changes(since: before, limit: 1).first)
            let paths = Set(change.writes.map(\.path.description))
            #expect(
                paths.isSuperset(of: [
                    "/people/maria/full_name", "/people/maria/_search_index/full_name",
                    "/people/maria/_search_index/reversed_full_name",
                ]), "\(paths)")
            #expect(try await people("search=mi", service) == ["maria"])
            #expect(try await people("search=LI", service) == ["maria"])
            #expect(try await people("search=maria", service) == [])
            for path in ["posts/\(id)", "comments/\(id)/c"] {
                let name = try TreePath("\(path)/author/full_name")
                try await eventually { try await service.tree.get(name) == "Mia Lind" }
            }
            let person = try await service.client.get("/v1/people/maria").json
            #expect(person["counts"]["posts"].int == 1)
        }
    }

    @Test("P3: People are found by the beginnings of their names, each once, page by page, under any rules")
    func search() async throws {
        try await withRoutes { service in
            for (uid, name) in [("a", "Ánn Lee"), ("b", "Ann Lee"), ("c", "Anna Ant"), ("d", "Lee Ann"), ("e", "Bob")] {
                try await service.tree.set(try TreePath("people/\(uid)/full_name"), to: .string(name))
            }
            #expect(try await people("search=ann", service) == ["a", "b", "d", "c"])
            #expect(try await people("search=%C3%81N", service).count == 4)
            #expect(try await people("search=lee%20a", service) == ["a", "b", "d"])
            var (seen, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await service.client.get(
                    "/v1/people?search=ann&limit=3\(cursor.map { "&after=\($0)" } ?? "")"
                ).json
                seen += page["people"].array.compactMap { $0["uid"].string }
                cursor = page["next"].string
                #expect(page["has_more"].bool == (cursor != nil))
            } while cursor != nil
            #expect(seen == ["a", "b", "d", "c"])
            for query in ["search=", "search=.", "limit=0", "limit=201", "after=%21", "search=a&before=x"] {
                let answer = try await service.client.get("/v1/people?\(query)")
                #expect(answer.json["code"].string == "bad_request", "\(query): \(answer.text)")
            }
            // There are no rules: only the owner may read people.
            #expect(try await service.ask(.get, "/v1/people?search=ann", as: "a").status == 401)
        }
    }

    @Test(
        "B11, 13, 14, 15: People are listed in the order of their ids, and the end of the list is exact")
    func list() async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("a", "b", "c", "d")
            let first = try await service.ask(.get, "/v1/people?limit=2", as: nil).json
            #expect(first["people"].array.map { $0["uid"].string } == ["a", "b"] && first["has_more"].bool == true)
            // A person created meanwhile before the cursor changes nothing.
            try await service.addPeople("aa")
            let next = try #require(first["next"].string)
            let second = try await service.ask(.get, "/v1/people?limit=2&after=\(next)", as: nil).json
            #expect(second["people"].array.map { $0["uid"].string } == ["c", "d"])
            #expect(second["has_more"].bool == false && second["next"] == .null)
            #expect(second["people"][0].withoutTimes == .object(["uid": .string("c"), "full_name": .string("c")]))
        }
    }

    @Test("5: A search reads no posts: its answer has names and pictures alone")
    func onlyNames() async throws {
        try await withRoutes { service in
            _ = try await service.client.post("hello")
            let answer = try await service.client.get("/v1/people?search=mar")
            let person = answer.json["people"][0].withoutTimes
            #expect(person == .object(["uid": .string("maria"), "full_name": .string("maria")]))
        }
    }

    @Test("FriendlyPix 12: A deleted person is removed with all their data, a receipt describes them, and others stay")
    func delete() async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            for number in 0..<3 { _ = try await service.client.post("hello%20\(number)") }
            let jans = try await service.client.post("other", by: "jan") ?? ""
            _ = try await service.ask(.put, "/v1/people/jan/following/maria", as: "jan")
            let like = try TreePath("likes/\(jans)/maria")
            try await service.tree.set(like, to: 1)
            #expect(try await service.ask(.delete, "/v1/people/maria", as: "jan").json["code"].string == "not_allowed")
            #expect(try await service.ask(.get, "/v1/people/maria/deletion", as: "maria").status == 404)
            let begun = try await service.ask(.delete, "/v1/people/maria", as: "maria")
            #expect(begun.status == 202 && begun.json["began"].int != nil, "\(begun.text)")
            #expect(begun.headers[.location] == "/v1/people/maria/deletion")
            #expect(try await people("search=maria", service) == [])
            try await eventually {
                try await service.ask(.get, "/v1/people/maria/deletion", as: "maria").json["ended"].int != nil
            }
            let receipt = try await service.client.get("/v1/people/maria/deletion").json
            #expect(receipt["removed"]["posts"].int == 3 && receipt["removed"]["likes"].int == 1, "\(receipt)")
            #expect(receipt["removed"]["followers"].int == 1 && receipt["uid"].string == "maria")
            #expect(try await service.ask(.get, "/v1/people/maria/deletion", as: "jan").status == 403)
            #expect(try await service.ask(.delete, "/v1/people/maria", as: "maria").status == 404)
            for path in ["/v1/people/maria", "/v1/people/maria/posts", "/v1/people/maria/followers"] {
                #expect(try await service.client.get(path).status == 404, "\(path)")
            }
            let jan = try await service.client.get("/v1/people/jan").json
            #expect(jan["counts"]["following"].int == 0 && jan["counts"]["posts"].int == 1, "\(jan)")
            #expect(try await service.tree.get(like) == nil)
            // A person who returns starts with an empty profile.
            try await service.addPeople("maria")
        }
    }

    @Test("A person in deletion cannot be created again meanwhile")
    func beingDeleted() async throws {
        try await withRoutes { service in
            try await service.addPeople("maria")
            try await service.tree.set(
                TreePath(["jobs", "delete-person", "maria", "due"], in: .social), to: .integer(.max))
            let answer = try await service.ask(.patch, "/v1/people/maria", as: "maria", #"{"full_name":"M"}"#)
            #expect(answer.status == 409 && answer.json["code"].string == "wrong_state", "\(answer.text)")
            let status = try await service.client.ask(.get, "/v1/status").json
            #expect(status["jobs"]["waiting"].int == 1, "what is left to do is told")
        }
    }
}
