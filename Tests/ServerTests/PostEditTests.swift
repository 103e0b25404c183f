import Client
import Foundation
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Editing posts: the words and the order of the photos", .timeLimit(.minutes(20)))
struct PostEditTests {
    // MARK: Words

    @Test("Another text moves the post to other hashtags, and leaves its time and its place in lists")
    func text() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.post("first #one #both", service)
            let last = try await PostEdits.post("second", service)
            let before = try await PostEdits.get(id, service)
            let answer = try await PostEdits.edit(id, #"{"text":" changed #two #both\n"}"#, service)
            PostEdits.expect(answer, 200)
            let shown = answer.json
            #expect(shown["text"].string == "changed #two #both" && shown["kind"].string == "text")
            #expect(shown["timestamp"] == before.json["timestamp"] && shown["published"] == before.json["published"])
            let edited = try #require(shown["edited"].int)
            #expect(edited >= (shown["timestamp"].int ?? .max) && before.json["edited"] == .null)
            #expect(answer.headers[.eTag] != before.headers[.eTag] && answer.headers[.named("tintype-token")] != nil)
            let again = try await PostEdits.get(id, service)
            #expect(again.json == shown && again.headers[.eTag] == answer.headers[.eTag])
            for (tag, ids) in [("one", []), ("two", [id]), ("both", [id])] {
                let page = try await service.client.get("/v1/hashtags/\(tag)/posts").json
                #expect(page["posts"].array.compactMap { $0["post_id"].string } == ids, "\(tag)")
            }
            let list = try await service.client.get("/v1/posts").json["posts"].array
            #expect(list.map { $0["post_id"].string } == [last, id] && list[1]["text"] == shown["text"])
        }
    }

    @Test("An edit that changes nothing writes nothing, and has the post's present ETag")
    func nothing() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service, text: "Hello")
            let tag = try await PostEdits.etag(id, service)
            let bodies = [
                "{}", #"{"text":" Hello "}"#, #"{"mentions":[]}"#, #"{"mentions":null,"photos":null}"#,
                #"{"photos":[{"number":0,"alt":" small"},{"number":1,"alt":null}],"client_timestamp":5}"#,
            ]
            for body in bodies {
                let answer = try await PostEdits.edit(id, body, service)
                PostEdits.expect(answer, 200, nil, body)
                #expect(answer.headers[.eTag] == tag && answer.json["edited"] == .null, "\(body)")
            }
        }
    }

    @Test("A removed text leaves a photo; a post of words alone keeps words")
    func removal() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service, text: "Hello")
            for (body, kind) in [
                (#"{"text":null}"#, "photo"), (#"{"text":"x"}"#, "photo_text"), (#"{"text":" "}"#, "photo"),
            ] {
                let answer = try await PostEdits.edit(id, body, service)
                #expect(answer.status == 200 && answer.json["kind"].string == kind, "\(answer.text)")
                #expect((answer.json["text"] == .null) == (kind == "photo"))
            }
            let words = try await PostEdits.post("words", service)
            for body in [#"{"text":null}"#, #"{"text":""}"#, #"{"text":"\n"}"#] {
                PostEdits.expect(try await PostEdits.edit(words, body, service), 400, "empty_post", body)
            }
            #expect(try await PostEdits.get(words, service).json["text"].string == "words")
        }
    }

    @Test("A mention notifies once, however often the post is edited, and only as long as it is there")
    func mentions() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.post("Hi @Anna and @Jan", service)
            let anna = #"{"uid":"anna","start":3,"length":5}"#
            let jan = #"{"uid":"jan","start":13,"length":4}"#
            PostEdits.expect(try await PostEdits.edit(id, #"{"mentions":[\#(anna)]}"#, service), 200)
            #expect(try await PostEdits.notifications(of: "anna", service).count == 1)
            // The mention stays in the part of the text that does not change, also at another place.
            for (text, start) in [("Hi @Anna and Jan", 3), ("Oh hi @Anna and Jan", 6), ("Hi @Anna and Jan", 3)] {
                let answer = try await PostEdits.edit(id, #"{"text":"\#(text)"}"#, service)
                let shown = answer.json["mentions"]
                #expect(shown.array.count == 1 && shown[0]["start"].int == start, "\(text): \(answer.text)")
            }
            let both = #"{"text":"Hi @Anna and @Jan","mentions":[\#(anna),\#(jan)]}"#
            PostEdits.expect(try await PostEdits.edit(id, both, service), 200)
            for uid in ["anna", "jan"] {
                #expect(try await PostEdits.notifications(of: uid, service).count == 1, "\(uid)")
            }
            // A text without the name has no mention, and the notification is withdrawn.
            let without = try await PostEdits.edit(id, #"{"text":"Hi @Ann and @Jan"}"#, service)
            #expect(without.json["mentions"].array.map { $0["uid"].string } == ["jan"], "\(without.text)")
            #expect(try await PostEdits.notifications(of: "anna", service).isEmpty)
            #expect(try await PostEdits.notifications(of: "jan", service).count == 1)
            let faults = [
                #"{"mentions":{}}"#, #"{"mentions":[\#(anna),\#(anna)]}"#, #"{"text":"short","mentions":[\#(jan)]}"#,
                #"{"mentions":[{"uid":"nobody","start":0,"length":2}]}"#,
                #"{"mentions":[{"uid":"jan","start":-1,"length":2}]}"#,
            ]
            let tag = try await PostEdits.etag(id, service)
            for body in faults {
                PostEdits.expect(try await PostEdits.edit(id, body, service), 422, "bad_mention", body)
            }
            #expect(try await PostEdits.etag(id, service) == tag)
        }
    }

    @Test("Another order or alternative text is no news to people whom an imported post mentions")
    func silence() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service, text: "Hi @Anna")
            var update = MultiPathUpdate()
            update.firstStratum = 1000
            let post = PostNodes.post(try #require(PostID(id)))
            update[post / "mentions"] = ["0": ["uid": "anna", "start": 3, "length": 5]]
            try await service.tree.update(update)
            PostEdits.expect(
                try await PostEdits.edit(id, #"{"photos":[{"number":1,"alt":"large"},{"number":0}]}"#, service), 200)
            #expect(try await PostEdits.notifications(of: "anna", service).isEmpty)
        }
    }

    // MARK: Photos

    /// The file of a photo's largest rendition, whose address may have a signature.
    private func file(_ photo: JSON) -> String? { photo["renditions"]["full"]["storage_uri"].string }

    private func path(_ address: JSON) -> String? { address.string?.split(separator: "?").first.map(String.init) }

    @Test("Photos keep their numbers in any order; the fields of the first photo and the originals follow")
    func order() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service)
            let before = try await PostEdits.get(id, service).json
            let (small, large) = (before["photos"][0], before["photos"][1])
            let swapped = try await PostEdits.edit(
                id, #"{"photos":[{"number":1,"alt":" A lake "},{"number":0}]}"#, service
            ).json
            #expect(swapped["photos"].array.map(file) == [file(large), file(small)], "\(swapped)")
            #expect(swapped["photos"].array.map { $0["alt"].string } == ["A lake", "small"])
            #expect(swapped["photos"].array.map { $0["number"].int } == [1, 0])
            for name in ["full", "thumb"] {
                let shown = large["renditions"][name]
                #expect(path(swapped["\(name)_url"]) == path(shown["url"]), "\(swapped)")
                #expect(swapped["\(name)_storage_uri"] == shown["storage_uri"])
            }
            // The numbers mean the same photos as before.
            let described = try await PostEdits.edit(
                id, #"{"photos":[{"number":1,"alt":null},{"number":0,"alt":"S"}]}"#, service
            ).json
            #expect(described["photos"].array.map { $0["alt"].string } == [nil, "S"])
            #expect(described["photos"].array.map(file) == [file(large), file(small)])
            let originals = try await service.client.get("/v1/posts/\(id)/originals").json["urls"].array
            #expect(originals.first?.string?.contains("original-2.") == true, "\(originals)")
            let back = try await PostEdits.edit(id, #"{"photos":[{"number":0,"alt":"small"},{"number":1}]}"#, service)
                .json
            #expect(back["photos"].array.map(file) == [file(small), file(large)])
            #expect(back["photos"].array.allSatisfy { $0["number"] == .null })
            #expect(path(back["full_url"]) == path(before["full_url"]))
            #expect(try await service.client.ask(.delete, "/v1/posts/\(id)").status == 200)
            PostEdits.expect(try await PostEdits.edit(id, "{}", service), 404, "not_found")
        }
    }

    /// Bodies that are refused, with their status and code.
    static let hostile: [(body: String, status: Int, code: String)] = [
        ("", 400, "bad_request"), ("[]", 400, "bad_request"), ("null", 400, "bad_request"), ("{", 400, "bad_request"),
        (#"{"text":1}"#, 400, "bad_request"), (#"{"text":["x"]}"#, 400, "bad_request"),
        (#"{"text":"a","text":"b"}"#, 400, "bad_request"), (#"{"kind":"poll"}"#, 400, "bad_request"),
        (#"{"text":"\#(String(repeating: "x", count: 2000))"}"#, 400, "bad_text"),
        (#"{"text":"a\u0000b"}"#, 400, "bad_text"), (#"{"text":"a\ud800"}"#, 400, "bad_request"),
        (#"{"text":\#(String(repeating: "[", count: 100_000))"#, 400, "bad_request"),
        (#"{"photos":{}}"#, 400, "bad_request"), (#"{"photos":[]}"#, 400, "bad_request"),
        (#"{"photos":[0,1]}"#, 400, "bad_request"), (#"{"photos":[{"number":0}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0},{"number":0}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0},{"number":1},{"number":1}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0},{"number":2}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":-1},{"number":0}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0.5},{"number":1}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":"0"},{"number":"1"}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":9223372036854775807},{"number":1}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0,"alt":7},{"number":1}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0,"width":7},{"number":1}]}"#, 400, "bad_request"),
        (#"{"photos":[{"number":0,"alt":"a\u0007"},{"number":1}]}"#, 400, "bad_text"),
        (#"{"photos":[{"number":0,"alt":"\#(String(repeating: "x", count: 1001))"},{"number":1}]}"#, 400, "bad_text"),
        (#"{"photos":[\#(String(repeating: #"{"number":0},"#, count: 50_000)){"number":1}]}"#, 400, "bad_request"),
        (#"{"text":"x","client_timestamp":-1}"#, 422, "bad_timestamp"),
        (#"{"text":"x","client_timestamp":"soon"}"#, 422, "bad_timestamp"),
        (#"{"text":"x","client_timestamp":1.5}"#, 422, "bad_timestamp"),
        (#"{"text":"x","client_timestamp":1e300}"#, 422, "bad_timestamp"),
        (#"{"text":"\#(String(repeating: "x", count: 2 << 20))"}"#, 413, "too_large_bytes"),
    ]

    @Test("A body that cannot be an edit of the post is refused, and nothing of it is stored")
    func refusals() async throws {
        try await PostEdits.withPeople { service in
            let id = try await PostEdits.photos(service, text: "Hello")
            let tag = try await PostEdits.etag(id, service)
            for (body, status, code) in Self.hostile {
                PostEdits.expect(try await PostEdits.edit(id, body, service), status, code, "\(body.prefix(100))")
            }
            let plain = try await PostEdits.edit(id, "{}", with: ["content-type": "text/plain"], service)
            PostEdits.expect(plain, 415, "unsupported_type")
            #expect(try await PostEdits.etag(id, service) == tag)
        }
    }
}
