import Client
import HTTPTypes
import Keeping
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("P5, P7: The two steps of an upload screen", .timeLimit(.minutes(20)))
struct DraftTests {
    private func reserve(_ service: Service, body: RequestBody = .none) async throws -> String {
        let answer = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true", body: body)
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer.json["state"].string == "draft")
        let id = answer.json["upload_id"].string ?? ""
        #expect(answer.headers[.location] == "/v1/uploads/\(id)")
        return id
    }

    @Test("A draft shows its renditions to its sender and nothing to others, until the text is sent")
    func twoSteps() async throws {
        let (jpeg, gif) = (try fixture("size-97x61.jpg"), try fixture("plain.gif"))
        try await withService { service in
            let id = try await reserve(service)
            let first = try await service.client.ask(.post, "/v1/uploads/\(id)/photos", body: .bytes(jpeg))
            #expect(first.status == 201, "\(first.text)")
            let second = try await service.client.ask(
                .post, "/v1/uploads/\(id)/photos", headers: Form.contentType, body: .bytes(Form().photo(gif).closed))
            #expect(second.json["photos"].array.count == 2)
            let small = second.json["photos"][1]["renditions"]["small"]["url"].string ?? "/"
            #expect(try await service.client.get(small).status == 200, "the sender can see it")
            #expect(try await service.tcpClient.get(small).status == 200, "and who is given the address")
            let unsigned = small.replacing(/\?.*/, with: "")
            #expect(try await service.tcpClient.get(unsigned).status == 404, "and nobody else")
            for path in ["posts", "people", "feed", "hashtags"] as [TreePath] {
                #expect(try await service.tree.get(path) == nil, "nothing at \(path)")
            }
            let published = try await service.client.ask(
                .post, "/v1/uploads/\(id)/publish", headers: [.contentType: "application/json"],
                body: .bytes(Array("{\"text\": \"At last #sun\"}".utf8)))
            #expect(published.status == 201, "\(published.text)")
            #expect(published.json["post_id"].string == id)
            #expect(published.json["post"]["text"].string == "At last #sun")
            #expect(published.json["post"]["photos"].array.count == 2)
            #expect(try await service.tcpClient.get(unsigned).status == 200, "what is published is everybody's")
        }
    }

    @Test("Photos may arrive with the reservation; the text may arrive with it or later")
    func reservedWithPhoto() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let form = Form().field("user", "maria").field("draft", "true").field("text", "early").photo(jpeg)
            let answer = try await service.client.ask(
                .post, "/v1/uploads", headers: Form.contentType, body: .bytes(form.closed))
            #expect(answer.json["photos"].array.count == 1, "\(answer.text)")
            let id = answer.json["upload_id"].string ?? ""
            let published = try await service.client.ask(.post, "/v1/uploads/\(id)/publish")
            #expect(published.json["post"]["text"].string == "early")
        }
    }

    @Test(
        "The text arrives by query, form or JSON",
        arguments: [
            ("?text=a+b", nil, ""), ("", "application/x-www-form-urlencoded", "text=a%20b"),
            ("", "application/json", "{\"text\":\"a b\"}"),
            ("", "Application/JSON; charset=utf-8", "{\"text\":\"a b\"}"),
            ("?text=a%20b", "text/plain", ""), ("?text=a%20b", "application/json", "{}"),
        ] as [(String, String?, String)])
    func publishing(query: String, contentType: String?, body: String) async throws {
        try await withService { service in
            let id = try await reserve(service)
            var headers = HTTPFields()
            headers[.contentType] = contentType
            let answer = try await service.client.ask(
                .post, "/v1/uploads/\(id)/publish\(query)", headers: headers, body: .bytes(Array(body.utf8)))
            #expect(answer.json["post"]["text"].string == "a b", "\(answer.text)")
        }
    }

    @Test("P23: Publishing again with the same text gives the same post; another text is refused")
    func publishedTwice() async throws {
        try await withService { service in
            let id = try await reserve(service)
            let answers = [
                try await service.client.ask(.post, "/v1/uploads/\(id)/publish?text=x"),
                try await service.client.ask(.post, "/v1/uploads/\(id)/publish?text=x"),
                try await service.client.ask(.post, "/v1/uploads/\(id)/publish?text=y"),
                try await service.client.ask(
                    .post, "/v1/uploads/\(id)/photos", body: .bytes(try fixture("size-97x61.jpg"))),
            ]
            #expect(answers.map(\.status) == [201, 201, 409, 409])
            #expect(answers[0].json == answers[1].json)
            #expect(answers[2].json["code"].string == "wrong_state")
        }
    }

    @Test("A photo that cannot be decoded is refused at once, and the draft stays unchanged")
    func refusedPhoto() async throws {
        let (jpeg, cut) = (try fixture("size-97x61.jpg"), try fixture("truncated-baseline-420.jpg"))
        try await withService { service in
            let id = try await reserve(service, body: .bytes(jpeg))
            let refused = try await service.client.ask(.post, "/v1/uploads/\(id)/photos", body: .bytes(cut))
            #expect(refused.status == 422)
            let draft = try await service.client.get("/v1/uploads/\(id)").json
            #expect(draft["state"].string == "draft")
            #expect(draft["photos"].array.count == 1)
        }
    }

    @Test(
        "A draft that cannot be published is refused with the reason",
        arguments: [
            ("", nil, "", 400, "empty_post"), ("", "application/json", "{", 400, "bad_request"),
            ("", "application/json", "{\"text\":1}", 400, "bad_request"),
            ("?text=%07", nil, "", 400, "bad_text"),
            (
                "", "application/json", "{\"text\":\"" + String(repeating: "x", count: 70_000) + "\"}", 413,
                "too_large_bytes"
            ),
        ] as [(String, String?, String, Int, String)])
    func refusals(query: String, contentType: String?, body: String, status: Int, code: String) async throws {
        try await withService { service in
            let id = try await reserve(service)
            var headers = HTTPFields()
            headers[.contentType] = contentType
            let answer = try await service.client.ask(
                .post, "/v1/uploads/\(id)/publish\(query)", headers: headers, body: .bytes(Array(body.utf8)))
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.json["code"].string == code)
            #expect(try await service.client.get("/v1/uploads/\(id)").json["state"].string == "draft")
        }
    }

    /// Text that a sender believes to have sent, in a form that is not understood.
    struct LostText: Sendable {
        var query = ""
        let contentType: String?
        let body: String
        var status = 400
        var code = "bad_request"
        /// The texts that the answer must contain.
        let names: [String]
    }

    static let lostTexts: [LostText] = [
        // The content type that curl -d sends by default.
        LostText(
            contentType: "application/x-www-form-urlencoded", body: "{\"text\":\"hi\"}",
            names: ["{\\\"text\\\":\\\"hi\\\"}", "Content-Type: application/json"]),
        LostText(
            contentType: "application/x-www-form-urlencoded", body: "txt=hi", names: ["\\\"txt\\\"", "text"]),
        LostText(query: "?caption=hi", contentType: nil, body: "", names: ["caption", "text"]),
        LostText(query: "?user=maria&text=hi", contentType: nil, body: "", names: ["user"]),
        LostText(
            contentType: "application/json", body: "{\"text\":\"hi\",\"caption\":\"x\"}", names: ["caption", "text"]),
        LostText(contentType: "application/json", body: "\"hi\"", names: ["object"]),
        LostText(contentType: "application/json", body: "[{\"text\":\"hi\"}]", names: ["object"]),
        LostText(
            query: "?text=x", contentType: "application/json", body: "{\"text\":\"hi\"}", names: ["text", "twice"]),
        LostText(
            contentType: Form.contentType[.contentType],
            body: String(decoding: Form().field("title", "hi").closed, as: UTF8.self),
            names: ["title", "text"]),
        LostText(
            contentType: "text/plain", body: "hi", status: 415, code: "unsupported_type",
            names: ["text/plain", "application/json"]),
        LostText(contentType: nil, body: "hi", status: 415, code: "unsupported_type", names: ["application/json"]),
        LostText(
            contentType: "application/jsonx", body: "{\"text\":\"hi\"}", status: 415, code: "unsupported_type",
            names: ["application/jsonx"]),
    ]

    @Test("Text is never lost silently: a form that is not understood is named", arguments: lostTexts)
    func lostText(row: LostText) async throws {
        try await withService { service in
            let id = try await reserve(service, body: .bytes(try fixture("size-97x61.jpg")))
            var headers = HTTPFields()
            headers[.contentType] = row.contentType
            let answer = try await service.client.ask(
                .post, "/v1/uploads/\(id)/publish\(row.query)", headers: headers, body: .bytes(Array(row.body.utf8)))
            #expect(answer.status == row.status, "\(answer.text)")
            #expect(answer.json["code"].string == row.code)
            for name in row.names { #expect(answer.text.contains(name), "\(answer.text)") }
            #expect(try await service.client.get("/v1/uploads/\(id)").json["state"].string == "draft")
        }
    }

    @Test("Text among the photos of a draft is refused, as it would not be the post's")
    func textWithPhotos() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let id = try await reserve(service)
            for form in [Form().field("text", "hi").photo(jpeg), Form().photo(jpeg).field("text", "hi")] {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads/\(id)/photos", headers: Form.contentType, body: .bytes(form.closed))
                #expect(answer.status == 400 && answer.text.contains("text"), "\(answer.text)")
            }
            let answer = try await service.client.ask(
                .post, "/v1/uploads/\(id)/photos?text=hi", body: .bytes(jpeg))
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test("A draft whose first photo is invalid is not created")
    func noDraftWithoutItsPhoto() async throws {
        try await withService { service in
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria&draft=true", body: .bytes(try fixture("truncated-baseline-420.jpg")))
            #expect(answer.status == 422)
            #expect(try await service.pipeline.report.status().unfinished.isEmpty)
        }
    }
}
