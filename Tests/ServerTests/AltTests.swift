import Client
import HTTPTypes
import Keeping
import Service
import TestSupport
import Testing
import Uploads

@Suite("Alternative texts of photos by each way in", .timeLimit(.minutes(20)))
struct AltTests {
    private static let jpeg = (try? fixture("size-97x61.jpg")) ?? []
    private static let gif = (try? fixture("plain.gif")) ?? []

    private func alts(_ photos: JSON) -> [String?] { photos.array.map { $0["alt"].string } }

    /// A form, the query beside it, and the resulting alternative texts of its photos.
    static let forms: [(form: Form, query: String, alts: [String?])] = [
        (Form().field("alt", " A jetty\n").photo(jpeg), "", ["A jetty"]),
        (Form().field("alt", "").photo(jpeg), "", [nil]),
        (Form().field("alt", "one").photo(jpeg).field("alt", "two").photo(gif), "", ["one", "two"]),
        (Form().photo(jpeg).field("alt", "two").photo(gif).photo(jpeg), "", [nil, "two", nil]),
        (
            Form().field("alt", "one").field("text", "t").photo(jpeg).photo(gif).field("draft", "false"), "",
            ["one", nil]
        ),
        (Form().photo(jpeg).photo(gif), "&alt=one", ["one", nil]),
    ]

    @Test("An alt field of a form belongs to the photo after it", arguments: forms.indices)
    func form(index: Int) async throws {
        let (form, query, expected) = Self.forms[index]
        try await withService { service in
            for draft in ["", "&draft=true"] where draft.isEmpty || index != 4 {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads?user=maria\(query)\(draft)", headers: Form.contentType,
                    body: .bytes(form.closed))
                #expect(answer.status == 201, "\(answer.text)")
                let photos = draft.isEmpty ? answer.json["post"]["photos"] : answer.json["photos"]
                #expect(alts(photos) == expected, "\(answer.text)")
            }
        }
    }

    @Test("A photo as the body has its alt in the query, and shows it wherever the post is shown")
    func raw() async throws {
        try await withService { service in
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria&alt=Zw%C3%B6lf+M%C3%B6wen", body: .bytes(Self.jpeg))
            let id = answer.json["post_id"].string ?? ""
            #expect(alts(answer.json["post"]["photos"]) == ["Zwölf Möwen"], "\(answer.text)")
            #expect(answer.json["post"]["kind"].string == "photo", "it is no text of the post")
            #expect(alts(try await service.client.get("/v1/posts").json["posts"][0]["photos"]) == ["Zwölf Möwen"])
            #expect(alts(try await service.client.get("/v1/uploads/\(id)").json["photos"]) == ["Zwölf Möwen"])
        }
    }

    /// The requests that publish a draft of two photos, described as "one" and not at all, and the resulting
    /// alternative texts.
    static let published: [(query: String, contentType: String?, body: String, alts: [String?])] = [
        ("", nil, "", ["one", nil]), ("?alt=uno&alt=due", nil, "", ["uno", "due"]), ("?alt=", nil, "", [nil, nil]),
        ("", "application/x-www-form-urlencoded", "alt=uno", ["uno", nil]),
        ("", "application/json", #"{"alt": ["uno", "due"], "text": "t"}"#, ["uno", "due"]),
        ("", "application/json", #"{"alt": "uno"}"#, ["uno", nil]),
        ("", "application/json", #"{"alt": null, "text": null}"#, ["one", nil]),
        (
            "", Form.contentType[.contentType],
            String(decoding: Form().field("alt", "uno").field("alt", "due").closed, as: UTF8.self), ["uno", "due"]
        ),
    ]

    private func draft(_ service: Service) async throws -> String {
        let draft = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true")
        let path = "/v1/uploads/\(draft.json["upload_id"].string ?? "")"
        for (query, photo) in [("?alt=one", Self.jpeg), ("", Self.gif)] {
            let answer = try await service.client.ask(.post, "\(path)/photos\(query)", body: .bytes(photo))
            #expect(answer.status == 201, "\(answer.text)")
        }
        #expect(alts(try await service.client.get(path).json["photos"]) == ["one", nil])
        return path
    }

    @Test("The photos of a draft keep their texts, or get them in order at publication", arguments: published.indices)
    func drafts(index: Int) async throws {
        let row = Self.published[index]
        try await withService { service in
            let path = try await draft(service)
            var headers = HTTPFields()
            headers[.contentType] = row.contentType
            for attempt in 1...2 {
                let answer = try await service.client.ask(
                    .post, "\(path)/publish\(row.query)", headers: headers, body: .bytes(Array(row.body.utf8)))
                #expect(answer.status == 201, "\(answer.text)")
                #expect(alts(answer.json["post"]["photos"]) == row.alts, "\(attempt): \(answer.text)")
            }
            let other = try await service.client.ask(.post, "\(path)/publish?alt=other")
            #expect(other.status == 409 && other.json["code"].string == "wrong_state", "\(other.text)")
        }
    }

    @Test(
        "An alternative text that cannot be published is named, and the draft stays unchanged",
        arguments: [
            ("?alt=a&alt=b&alt=c", "", "bad_text", "3 alternative texts, and 2 photos"),
            ("?alt=a%07", "", "bad_text", "alternative text"),
            ("?alt=" + String(repeating: "x", count: 1001), "", "bad_text", "1000 characters"),
            ("", #"{"alt": [1]}"#, "bad_request", "alt is"), ("", #"{"text": ["a"]}"#, "bad_request", "text is a list"),
            ("", #"{"alts": ["a"]}"#, "bad_request", "alts"), ("", #"{"alt": {"0": "a"}}"#, "bad_request", "alt is"),
        ] as [(String, String, String, String)])
    func refusedDrafts(query: String, body: String, code: String, word: String) async throws {
        try await withService { service in
            let path = try await draft(service)
            let answer = try await service.client.ask(
                .post, "\(path)/publish\(query)", headers: [.contentType: "application/json"],
                body: .bytes(Array(body.utf8)))
            #expect(answer.status == 400 && answer.json["code"].string == code, "\(answer.text)")
            #expect(answer.text.contains(word), "\(answer.text)")
            let draft = try await service.client.get(path).json
            #expect(draft["state"].string == "draft" && alts(draft["photos"]) == ["one", nil])
        }
    }

    @Test("The same key with another alternative text is another request; with the same text it is the same request")
    func keys() async throws {
        @Sendable func form(_ alts: [String]) -> [UInt8] {
            alts.reduce(Form().field("user", "maria")) { $0.field("alt", $1).photo(Self.jpeg) }.closed
        }
        try await withService { service in
            func send(_ alts: [String], _ query: String = "") async throws -> Answer {
                let headers: HTTPFields = [
                    .named("idempotency-key"): "one" + query, .contentType: Form.contentType[.contentType] ?? "",
                ]
                return try await service.client.ask(
                    .post, "/v1/uploads?user=maria\(query)", headers: headers, body: .bytes(form(alts)))
            }
            for query in ["", "&draft=true"] {
                let first = try await send(["one", ""], query)
                #expect(first.status == 201, "\(first.text)")
                #expect(try await send([" one ", ""], query).json == first.json)
                for alts in [["", "one"], ["one", "one"], ["", ""], ["two", ""]] {
                    let answer = try await send(alts, query)
                    #expect(answer.status == 422 && answer.json["code"].string == "key_reused", "\(answer.text)")
                }
            }
        }
    }

    @Test("The key of a refused photo is free for another alternative text; the same text gets the same refusal")
    func keyAfterFailure() async throws {
        let cut = try fixture("truncated-baseline-420.jpg")
        try await withService { service in
            for (alt, failures) in [("one", 1), ("one", 1), ("two", 2)] {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads?user=maria&alt=\(alt)", headers: [.named("idempotency-key"): "k"],
                    body: .bytes(cut))
                #expect(answer.json["code"].string == "truncated")
                // A failure is counted just after its answer was sent.
                try await eventually { try await service.pipeline.report.status().failed >= failures }
                #expect(try await service.pipeline.report.status().failed == failures)
            }
        }
    }
}
