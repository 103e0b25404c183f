import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Comments on posts", .timeLimit(.minutes(20)))
struct SocialCommentTests {
    /// Sends a comment, or another request with a similar body.
    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: String, as uid: String? = nil, _ service: RoutedService
    ) async throws -> Answer {
        var headers = try uid.map { try service.headers(of: $0) } ?? [:]
        headers[.contentType] = "application/json"
        return try await service.tcpOrSocket(uid).ask(method, path, headers: headers, body: .json(json))
    }

    private func count(of id: String, _ service: RoutedService) async throws -> Int {
        try await service.client.get("/stats/posts/\(id)/comments.json").json.int ?? 0
    }

    @Test("A comment has its author, its text and the service's time; users send it, or an admin for them")
    func add() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            _ = try await service.client.ask(
                .put, "/people/ann.json", body: .json(#"{"full_name":"Ann","profile_picture":"/a.jpg"}"#))
            let path = "/v1/posts/\(id)/comments"
            let answer = try await send(.post, path, #"{"text":" Nice! "}"#, as: "ann", service)
            #expect(answer.status == 201, "\(answer.text)")
            let comment = answer.json
            let key = comment["comment_id"].string ?? ""
            #expect(answer.headers[.location] == "\(path)/\(key)" && answer.headers[.named("tintype-token")] != nil)
            #expect(comment["post_id"].string == id && comment["text"].string == "Nice!")
            #expect(
                comment["author"]
                    == .object([
                        "uid": .string("ann"), "full_name": .string("Ann"), "profile_picture": .string("/a.jpg"),
                    ]))
            #expect(comment["timestamp"].int != nil && comment["edited"] == .null && comment["mentions"] == .null)
            #expect(try await service.client.get("\(path)/\(key)").json == comment)
            #expect(try await service.client.get(path).json["comments"].array == [comment])
            let raw = try await service.client.get("/comments/\(id)/\(key).json").json
            #expect(raw.keys == ["author", "text", "timestamp"] && raw["author"] == comment["author"])
            let other = try await send(.post, path + "?as=bob", #"{"text":"x"}"#, service)
            #expect(other.status == 201 && other.json["author"]["full_name"].string == "bob")
            #expect(try await count(of: id, service) == 2)
            let nobody = try await send(.post, path, #"{"text":"x"}"#, service)
            #expect(nobody.status == 400 && nobody.json["code"].string == "bad_user", "\(nobody.text)")
            let stranger = try await service.tcpClient.ask(
                .post, path, headers: [.contentType: "application/json"], body: .json(#"{"text":"x"}"#))
            #expect(stranger.status == 401)
        }
    }

    /// The bodies with their answers.
    static let bodies: [(json: String, status: Int, code: String)] = [
        (#"{"text":""}"#, 400, "bad_text"), (#"{"text":" \n "}"#, 400, "bad_text"), (#"{}"#, 400, "bad_request"),
        (#"{"text":5}"#, 400, "bad_request"), (#"{"text":null}"#, 400, "bad_request"), ("[]", 400, "bad_request"),
        ("", 400, "bad_request"), (#"{"text":"x","more":1}"#, 400, "bad_request"),
        (#"{"text":"\#(String(repeating: "x", count: 2000))"}"#, 400, "bad_text"),
        (#"{"text":"\u0000"}"#, 400, "bad_text"), (#"{"text":"\u001b[2J"}"#, 400, "bad_text"),
        (#"{"text":"\#(String(repeating: "x", count: 300_000))"}"#, 413, "too_large_bytes"),
        (#"{"text":"x","mentions":5}"#, 422, "bad_mention"), (#"{"text":"x","mentions":[5]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"ann","start":0}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"ann","start":0,"length":1,"x":1}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"ann","start":0.5,"length":1}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"ann","start":0,"length":1e30}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"ann","start":0,"length":2}]}"#, 422, "bad_mention"),
        (#"{"text":"😀","mentions":[{"uid":"ann","start":0,"length":1}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"nobody","start":0,"length":1}]}"#, 422, "bad_mention"),
        (#"{"text":"x","mentions":[{"uid":"a/b","start":0,"length":1}]}"#, 422, "bad_mention"),
    ]

    @Test("23: A comment has 1 to 1,999 characters; other bodies are refused")
    func bodies() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            _ = try await service.client.ask(.put, "/people/ann/full_name.json", body: .json(#""Ann""#))
            let path = "/v1/posts/\(id)/comments"
            let longest = String(repeating: "x", count: 1999)
            let right = try await send(.post, path, #"{"text":"\#(longest)","mentions":[]}"#, as: "ann", service)
            #expect(right.status == 201)
            let comment = "\(path)/\(right.json["comment_id"].string ?? "")"
            for body in Self.bodies {
                for (method, path) in [(HTTPRequest.Method.post, path), (.patch, comment)] {
                    let answer = try await send(method, path, body.json, as: "ann", service)
                    #expect(
                        answer.status == body.status && answer.json["code"].string == body.code,
                        "\(method) \(body.json.prefix(80)): \(answer.status) \(answer.text)")
                }
            }
            let untyped = try await service.tcpClient.ask(
                .post, path, headers: try service.headers(of: "ann"), body: .json(#"{"text":"x"}"#))
            #expect(untyped.status == 415)
            #expect(try await count(of: id, service) == 1)
            #expect(try await service.client.get(comment).json["text"].string == longest)
        }
    }

    @Test("24: Its author changes it; its author, the post's, and an admin delete it; others may do neither")
    func change() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/comments"
            for remover in ["ann", "maria", nil] {
                let added = try await send(.post, path, #"{"text":"x"}"#, as: "ann", service)
                let comment = "\(path)/\(added.json["comment_id"].string ?? "")"
                let edited = try await send(.patch, comment, #"{"text":"y"}"#, as: "ann", service)
                #expect(edited.status == 200 && edited.json["text"].string == "y", "\(edited.text)")
                let times = [edited.json["edited"].int, edited.json["timestamp"].int]
                #expect(times[0] ?? 0 >= times[1] ?? .max && times[1] == added.json["timestamp"].int)
                for other in ["maria", "eve"] {
                    let refused = try await send(.patch, comment, #"{"text":"z"}"#, as: other, service)
                    #expect(refused.status == 403 && refused.json["code"].string == "not_allowed")
                }
                let eve = try await send(.delete, comment, "", as: "eve", service)
                #expect(eve.status == 403)
                #expect(try await service.tcpClient.ask(.delete, comment).status == 401)
                let removed = try await send(.delete, comment, "", as: remover, service)
                #expect(removed.status == 200 && removed.json["deleted"].bool == true, "\(removed.text)")
                #expect(try await send(.delete, comment, "", as: remover, service).status == 404)
                #expect(try await send(.patch, comment, #"{"text":"z"}"#, as: "ann", service).status == 404)
                #expect(try await count(of: id, service) == 0)
            }
        }
    }

    @Test("P25, 25: Pages have each comment once, in either order, whatever its author, and do not shift")
    func pages() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/comments"
            var expected: [String] = []
            for number in 0..<6 {
                if number % 2 == 0 {
                    _ = try await send(.post, path, #"{"text":"c\#(number)"}"#, as: "ann", service)
                } else {
                    _ = try await service.client.ask(
                        .post, "/comments/\(id).json",
                        body: .json(#"{"text":"c\#(number)","author":{"uid":"bob"},"timestamp":{".sv":"timestamp"}}"#))
                }
                expected.append("c\(number)")
            }
            for (order, cursor) in [("oldest", "after"), ("newest", "before")] {
                let texts = order == "newest" ? Array(expected.reversed()) : expected
                for limit in [1, 4, 5, 6, 7] {
                    var (seen, next): ([String], String?) = ([], nil)
                    repeat {
                        let query = "?order=\(order)&limit=\(limit)" + (next.map { "&\(cursor)=\($0)" } ?? "")
                        let page = try await service.client.get(path + query).json
                        seen += page["comments"].array.compactMap { $0["text"].string }
                        next = page["next"].string
                        #expect(page["has_more"].bool == (next != nil))
                    } while next != nil
                    #expect(seen == texts, "\(order) \(limit)")
                }
            }
            let plain = try await service.client.get("\(path)?limit=2").json
            #expect(plain["comments"].array.map { $0["text"].string } == ["c0", "c1"])
            _ = try await service.client.ask(.put, "/comments/\(id)/junk.json", body: .json("1"))
            let skipped = try await service.client.get(path).json["skipped"].array
            #expect(skipped.map { $0["path"].string } == ["comments/\(id)/junk"])
            #expect(try await service.client.get("\(path)/junk").status == 404)
            for query in ["order=x", "limit=0", "limit=201", "after=a%2Fb"] {
                #expect(try await service.client.get("\(path)?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test("An id that is not a post's has no comments", arguments: ["nonsense", "-OaBcDeFgHiJkLmNoPqR"])
    func missing(id: String) async throws {
        try await withRoutes { service in
            let path = "/v1/posts/\(id)/comments"
            for (method, path) in [
                (HTTPRequest.Method.post, path), (.get, path), (.get, "\(path)/c"), (.patch, "\(path)/c"),
                (.delete, "\(path)/c"), (.delete, "\(path)/a%2Fb"),
            ] {
                let answer = try await send(
                    method, path + (method == .get ? "" : "?as=ann"), method == .get ? "" : #"{"text":"x"}"#, service)
                #expect(answer.status == 404, "\(method) \(path): \(answer.text)")
            }
            #expect(try await service.client.get("/comments.json").text == "null")
        }
    }

    @Test(
        "26: Mentioned people are sent in both ways of counting, by the route and for raw writes alike")
    func mentions() async throws {
        try await withRoutes { service in
            try await service.tree.setRules(DefaultRules.database, onlyIfNone: true)
            let id = try await service.client.post("hello") ?? ""
            _ = try await service.client.ask(.put, "/people/ann/full_name.json", body: .json(#""Ann""#))
            let path = "/v1/posts/\(id)/comments"
            let text = #"{"text":"😀 @Ann","mentions":[{"uid":"ann","start":3,"length":4}]}"#
            let added = try await send(.post, path, text, as: "bob", service)
            let expected = JSON.object([
                "uid": .string("ann"), "start": .number(3), "length": .number(4), "character_start": .number(2),
                "character_length": .number(4),
            ])
            #expect(added.status == 201 && added.json["mentions"] == .array([expected]), "\(added.text)")
            let key = added.json["comment_id"].string ?? ""
            let raw = try await service.client.get("/comments/\(id)/\(key)/mentions.json").text
            #expect(raw == #"[{"length":4,"start":3,"uid":"ann"}]"#)
            // The mentions of an answer may be sent back; a database client's write gives the same answer.
            let again = #"{"text":"😀 @Ann!","mentions":[{"uid":"ann","start":3,"length":4,"character_start":2}]}"#
            #expect(try await send(.patch, "\(path)/\(key)", again, as: "bob", service).status == 200)
            let eve = try service.headers(of: "eve", ["name": "Eve"])
            let written = try await service.tcpClient.ask(
                .put, "/comments/\(id)/c.json", headers: eve,
                body: .json(
                    #"{"text":"😀 @Ann","author":{"uid":"eve","full_name":"Eve"},"timestamp":{".sv":"timestamp"},"#
                        + #""mentions":[{"uid":"ann","start":3,"length":4}]}"#))
            #expect(written.status == 200, "\(written.text)")
            #expect(try await service.client.get("\(path)/c").json["mentions"] == .array([expected]))
            let gone = try await send(.patch, "\(path)/\(key)", #"{"text":"Ann"}"#, as: "bob", service)
            #expect(gone.json["mentions"] == .null)
        }
    }

    @Test("A new name appears in the user's comments, and the comments of a deleted post are deleted with it")
    func effects() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/comments"
            _ = try await service.client.ask(.put, "/people/ann/full_name.json", body: .json(#""Ann""#))
            let key = try await send(.post, path, #"{"text":"x"}"#, as: "ann", service).json["comment_id"].string ?? ""
            _ = try await service.client.ask(.put, "/people/ann/full_name.json", body: .json(#""Anna""#))
            try await eventually {
                try await service.client.get("\(path)/\(key)").json["author"]["full_name"].string == "Anna"
            }
            _ = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(try await send(.post, path, #"{"text":"x"}"#, as: "ann", service).status == 404)
            try await eventually { try await service.client.get("/comments.json").text == "null" }
            #expect(try await service.client.get("/stats/posts.json").text == "null")
        }
    }

    @Test(
        "FriendlyPix 14: Comments are stored apart from their post, each with its author, and always counted"
    )
    func apart() async throws {
        try await withRoutes { service in
            let id = try await service.client.post("hello") ?? ""
            let before = try await service.client.get("/posts/\(id).json").text
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let answer =
                            number % 2 == 0
                            ? try await send(
                                .post, "/v1/posts/\(id)/comments", #"{"text":"x"}"#, as: "u\(number)", service)
                            : try await service.client.ask(
                                .post, "/comments/\(id).json",
                                body: .json(
                                    #"{"text":"y","author":{"uid":"u\#(number)"},"timestamp":{".sv":"timestamp"}}"#))
                        #expect(answer.status == 201 || answer.status == 200, "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await count(of: id, service) == 60)
            #expect(try await service.client.get("/posts/\(id).json").text == before)
            let page = try await service.client.get("/v1/posts/\(id)/comments?limit=200").json
            let authors = page["comments"].array.compactMap { $0["author"]["uid"].string }
            #expect(Set(authors) == Set((0..<60).map { "u\($0)" }) && authors.count == 60)
        }
    }
}

extension AskedService {
    /// Returns the client of a user who has signed in, or else of an admin.
    fileprivate func tcpOrSocket(_ uid: String?) -> Client { uid == nil ? client : tcpClient }
}

extension RequestBody {
    fileprivate static func json(_ text: String) -> RequestBody { .bytes(Array(text.utf8)) }
}
