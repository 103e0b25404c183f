import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("Mentions in the text of a post", .timeLimit(.minutes(20)))
struct SocialPostMentionTests {
    /// `Hi 😀 @Anna`: the mention begins after 6 UTF-16 units, and after 5 characters.
    private static let text = "Hi 😀 @Anna"
    private static let mentions = #"[{"uid":"anna","start":6,"length":5}]"#

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static var query: String { "text=\(encoded(text))&mentions=\(encoded(mentions))" }

    private func withPeople(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "anna", "jan")
            try await body(service)
        }
    }

    private func notifications(of uid: String, _ service: Service) async throws -> [JSON] {
        try await service.client.get("/v1/people/\(uid)/notifications").json["notifications"].array
    }

    /// The ways to write the mentions of a post.
    enum Way: String, CaseIterable {
        case query, form, draft, publishedJSON, publishedForm
    }

    private func publish(_ way: Way, _ service: Service) async throws -> Answer {
        func ask(_ path: String, _ headers: HTTPFields = [:], _ body: [UInt8] = []) async throws -> Answer {
            try await service.client.ask(.post, path, headers: headers, body: .bytes(body))
        }
        let form = Form().photo(try fixture("size-97x61.jpg")).field("mentions", Self.mentions).field("text", Self.text)
        guard way != .query else { return try await ask("/v1/uploads?user=maria&\(Self.query)") }
        guard way != .form else { return try await ask("/v1/uploads?user=maria", Form.contentType, form.closed) }
        let words = way == .draft ? "&\(Self.query)" : ""
        let draft = try await ask("/v1/uploads?user=maria&draft=true\(words)")
        let path = "/v1/uploads/\(draft.json["upload_id"].string ?? "")/publish"
        switch way {
        case .publishedJSON:
            let json = #"{"text":"\#(Self.text)","mentions":\#(Self.mentions)}"#
            return try await ask(path, [.contentType: "application/json"], Array(json.utf8))
        case .publishedForm: return try await ask("\(path)?\(Self.query)")
        default: return try await ask(path)
        }
    }

    @Test(
        "A post's mentions arrive with it, notify once, and are shown in both units wherever the post is",
        arguments: Way.allCases)
    func mentions(way: Way) async throws {
        try await withPeople { service in
            let answer = try await publish(way, service)
            #expect(answer.status == 201, "\(answer.text)")
            let id = try #require(answer.json["post_id"].string)
            let mention = JSON.object([
                "uid": .string("anna"), "start": .number(6), "length": .number(5), "character_start": .number(5),
                "character_length": .number(5),
            ])
            #expect(answer.json["post"]["mentions"].array == [mention], "\(answer.text)")
            for path in ["/v1/posts/\(id)", "/v1/posts", "/v1/people/maria/feed", "/v1/people/maria/posts"] {
                let json = try await service.client.get(path).json
                let post = path.hasSuffix(id) ? json : json["posts"][0]
                #expect(post["mentions"].array == [mention], "\(path)")
            }
            let stored = try await service.client.get("/posts/\(id)/mentions.json").json
            #expect(stored[0] == .object(["uid": .string("anna"), "start": .number(6), "length": .number(5)]))
            let told = try await notifications(of: "anna", service)
            #expect(told.map { $0["kind"].string } == ["mention"] && told[0]["post"].string == id)
            #expect(told[0]["text"].string == Self.text && told[0]["actor"]["uid"].string == "maria")
            for uid in ["maria", "jan"] { #expect(try await notifications(of: uid, service).isEmpty) }
            _ = try await service.client.ask(.delete, "/v1/posts/\(id)")
            #expect(try await notifications(of: "anna", service).isEmpty)
        }
    }

    @Test(
        "A malformed mention is refused, and nothing is posted",
        arguments: [
            "x", "{}", "[1]", #"[{"uid":"anna"}]"#, #"[{"uid":"anna","start":7,"length":5}]"#,
            #"[{"uid":"anna","start":4,"length":5}]"#, #"[{"uid":"nobody","start":6,"length":5}]"#,
            #"[{"uid":"anna","start":6,"length":5},{"uid":"jan","start":7,"length":2}]"#,
            #"[{"uid":"anna","start":6,"length":5,"character_start":6}]"#,
        ])
    func refusals(mentions: String) async throws {
        try await withPeople { service in
            let query = "text=\(Self.encoded(Self.text))&mentions=\(Self.encoded(mentions))"
            let answer = try await service.client.ask(.post, "/v1/uploads?user=maria&\(query)")
            #expect(answer.status == 422 && answer.json["code"].string == "bad_mention", "\(answer.text)")
            let draft = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true")
            let path = "/v1/uploads/\(draft.json["upload_id"].string ?? "")/publish"
            let published = try await service.client.ask(.post, "\(path)?\(query)")
            #expect(published.status == 422 && published.json["code"].string == "bad_mention", "\(published.text)")
            #expect(try await service.client.ask(.post, "\(path)?\(Self.query)").status == 201)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
            try await service.untilNothingIsUnfinished()
        }
    }

    @Test("A draft keeps its mentions with its text; another text has none unless the request has some")
    func drafts() async throws {
        try await withPeople { service in
            for (query, count) in [("", 1), ("?text=\(Self.encoded(Self.text))", 1), ("?text=other", 0)] {
                let draft = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true&\(Self.query)")
                let path = "/v1/uploads/\(draft.json["upload_id"].string ?? "")/publish"
                let answer = try await service.client.ask(.post, path + query)
                #expect(answer.status == 201 && answer.json["post"]["mentions"].array.count == count, "\(answer.text)")
                // A repeated request, for example after a lost answer, gets the same answer.
                #expect(try await service.client.ask(.post, path + query).json["post_id"] == answer.json["post_id"])
            }
        }
    }

    @Test("An idempotency key is bound to the mentions, too")
    func key() async throws {
        try await withPeople { service in
            func send(_ query: String) async throws -> Answer {
                try await service.client.ask(
                    .post, "/v1/uploads?user=maria&\(query)", headers: [.named("idempotency-key"): "one"])
            }
            let first = try await send(Self.query)
            #expect(first.status == 201)
            #expect(try await send(Self.query).json["post_id"] == first.json["post_id"])
            let other = try await send("text=\(Self.encoded(Self.text))")
            #expect(other.status == 422 && other.json["code"].string == "key_reused")
        }
    }

    @Test(
        "The default rules let only a post's author write its mentions; mentioned people are notified at most once"
    )
    func rules() async throws {
        try await withPeople { service in
            let post =
                #"{"author":{"uid":"maria","full_name":"maria"},"text":"Hi @Anna","timestamp":{".sv":"timestamp"}}"#
            #expect(try await service.ask(.put, "/posts/p.json", as: "maria", post).status == 200)
            let writes = [
                ("maria", #"{"0":{"uid":"anna","start":3,"length":5}}"#, true),
                ("maria", #"{"0":{"uid":"anna","start":3,"length":6}}"#, false),
                ("maria", #"{"0":{"uid":"nobody","start":3,"length":5}}"#, false),
                ("maria", #"{"x":{"uid":"anna","start":3,"length":5}}"#, false),
                ("maria", #"{"0":{"uid":"anna","start":-1,"length":5}}"#, false),
                ("jan", #"{"0":{"uid":"anna","start":3,"length":5}}"#, false),
            ]
            for (uid, json, isAllowed) in writes {
                let answer = try await service.ask(.put, "/posts/p/mentions.json", as: uid, json)
                #expect((answer.status == 200) == isAllowed, "\(uid) \(json): \(answer.text)")
            }
            #expect(try await notifications(of: "anna", service).count == 1)
            let again = #"{"0":{"uid":"jan","start":0,"length":2},"1":{"uid":"anna","start":3,"length":5}}"#
            #expect(try await service.ask(.put, "/posts/p/mentions.json", as: "maria", again).status == 200)
            for uid in ["anna", "jan"] { #expect(try await notifications(of: uid, service).count == 1) }
            #expect(try await service.ask(.delete, "/posts/p/mentions.json", as: "maria").status == 200)
            for uid in ["anna", "jan"] { #expect(try await notifications(of: uid, service).isEmpty) }
        }
    }
}
