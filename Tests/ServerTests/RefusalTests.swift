import Client
import Files
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Every refusal states the fault and the remedy", .timeLimit(.minutes(20)))
struct RefusalTests {
    /// A refused request and its answer.
    struct Row: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.post
        var path = "/v1/uploads?user=maria"
        var headers = HTTPFields()
        var body = RequestBody.none
        let status: Int
        let code: String

        var testDescription: String { "\(method.rawValue) \(path.prefix(60)) is \(status) \(code)" }
    }

    private static let jpeg = (try? fixture("size-97x61.jpg")) ?? []
    private static let long = String(repeating: "x", count: 2000)

    static let uploads: [Row] = [
        Row(path: "/v1/uploads", status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=../maria", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=%2e%2e%2fmaria", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=/etc", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=a%00b", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=a%0Ab", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(path: "/v1/uploads?user=jos%C3%A9", body: .bytes(jpeg), status: 400, code: "bad_user"),
        Row(
            path: "/v1/uploads?user=" + String(repeating: "u", count: 300), body: .bytes(jpeg), status: 400,
            code: "bad_user"),
        Row(path: "/v1/uploads?user=%ff", status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=a&user=b", status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=a&draft=maybe", status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=maria&text=" + long, status: 400, code: "bad_text"),
        Row(path: "/v1/uploads?user=maria&text=a%07b", status: 400, code: "bad_text"),
        Row(
            path: "/v1/uploads?user=maria&alt=" + String(repeating: "x", count: 1001), body: .bytes(jpeg), status: 400,
            code: "bad_text"),
        Row(path: "/v1/uploads?user=maria&alt=a%07b", body: .bytes(jpeg), status: 400, code: "bad_text"),
        Row(path: "/v1/uploads?user=maria&alt=a&alt=b", body: .bytes(jpeg), status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=maria&text=words&alt=a", status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=maria&draft=true&alt=a", status: 400, code: "bad_request"),
        Row(
            headers: [.named("idempotency-key"): String(repeating: "k", count: 201)], body: .bytes(jpeg), status: 400,
            code: "bad_reference"),
        Row(status: 400, code: "empty_post"),
        Row(headers: [.contentType: "image/jpeg"], status: 400, code: "empty"),
        Row(
            path: "/v1/uploads?user=maria&text=with", headers: [.contentType: "application/octet-stream"], status: 400,
            code: "empty"),
        Row(path: "/v1/uploads?user=maria&caption=x", body: .bytes(jpeg), status: 400, code: "bad_request"),
        Row(path: "/v1/uploads?user=maria&Text=x", status: 400, code: "bad_request"),
        Row(
            headers: [.contentType: "application/json"], body: .bytes(Array("{\"text\":\"x\"}".utf8)), status: 415,
            code: "unsupported_type"),
        Row(
            headers: [.contentType: "text/plain;charset=utf-8"], body: .bytes(Array("x".utf8)), status: 415,
            code: "unsupported_type"),
        Row(body: .bytes((try? fixture("text.jpg")) ?? []), status: 415, code: "unsupported_format"),
        Row(body: .bytes((try? fixture("truncated-baseline-420.jpg")) ?? []), status: 422, code: "truncated"),
        Row(body: .bytes((try? fixture("bomb-65500x65500.png")) ?? []), status: 422, code: "too_many_pixels"),
        Row(body: .bytes(Array(jpeg.prefix(2))), status: 422, code: "truncated"),
    ]

    static let forms: [Row] = [
        Row(
            headers: Form.contentType, body: .bytes(Form().photo(jpeg).field("alt", "a").closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType,
            body: .bytes(Form().photo(jpeg).field("alt", "a").field("alt", "b").photo(jpeg).closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType,
            body: .bytes(Form().photo(jpeg).field("alt", String(repeating: "x", count: 1001)).photo(jpeg).closed),
            status: 400, code: "bad_text"),
        Row(headers: [.contentType: "multipart/form-data"], body: .bytes(jpeg), status: 400, code: "bad_multipart"),
        Row(headers: Form.contentType, body: .bytes(jpeg), status: 400, code: "bad_multipart"),
        Row(headers: Form.contentType, body: .none, status: 400, code: "bad_multipart"),
        Row(
            headers: Form.contentType, body: .bytes(Array(Form().photo(jpeg).closed.dropLast(20))), status: 400,
            code: "bad_multipart"),
        Row(
            path: "/v1/uploads", headers: Form.contentType, body: .bytes(Form().photo(jpeg).field("user", "a").closed),
            status: 400, code: "bad_user"),
        Row(
            headers: Form.contentType, body: .bytes(Form().photo(jpeg).field("draft", "true").closed), status: 400,
            code: "bad_request"),
        Row(
            path: "/v1/uploads", headers: Form.contentType, body: .bytes(Form().field("text", "x").closed), status: 400,
            code: "bad_user"),
        Row(headers: Form.contentType, body: .bytes(Form().closed), status: 400, code: "empty_post"),
        Row(headers: Form.contentType, body: .bytes(Form().photo([]).closed), status: 400, code: "empty"),
        Row(
            headers: Form.contentType, body: .bytes(Form().photo(jpeg, field: "file").closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType, body: .bytes(Form().field("text", "a").field("text", "b").closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType, body: .bytes(Form().field("caption", "a").photo(jpeg).closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType, body: .bytes(Form().photo(jpeg).field("caption", "a").closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType,
            body: .bytes(Form().part("form-data; name=\"text\"", [0xFF, 0xFE]).closed), status: 400, code: "bad_request"
        ),
        Row(
            headers: Form.contentType,
            body: .bytes(Form().field("text", String(repeating: "x", count: 70_000)).closed), status: 400,
            code: "bad_request"),
        Row(
            headers: Form.contentType,
            body: .bytes((0..<21).reduce(Form()) { form, _ in form.photo(jpeg) }.closed), status: 422,
            code: "too_many_photos"),
        Row(
            headers: Form.contentType,
            body: .bytes(Form().photo(jpeg).photo(Array("text".utf8), named: "b.jpg").closed), status: 415,
            code: "unsupported_format"),
    ]

    static let others: [Row] = [
        Row(method: .get, path: "/v1/nowhere", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/uploads/-P6xGdOK6scoZJdt2p7F", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/uploads/x", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/posts/-P6xGdOK6scoZJdt2p7F", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/posts/..%2Fpeople", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/people/nobody", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/people/nobody/posts", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/people/a%2Fb", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/posts?limit=0", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/posts?limit=201", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/posts?limit=1e9", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/posts?before=a.b", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/posts?before=-P6xGdOK6scoZJdt2p7F", status: 400, code: "bad_request"),
        Row(path: "/v1/uploads/-P6xGdOK6scoZJdt2p7F/photos", body: .bytes(jpeg), status: 404, code: "not_found"),
        Row(path: "/v1/uploads/-P6xGdOK6scoZJdt2p7F/publish", status: 404, code: "not_found"),
        Row(path: "/v1/scrub?user=../x", status: 400, code: "bad_user"),
        Row(path: "/v1/scrub?check=1", status: 400, code: "bad_request"),
        Row(path: "/v1/scrub?chek=true", status: 400, code: "bad_request"),
        Row(path: "/v1/rethumb", status: 404, code: "not_found"),
        Row(method: .get, path: "/v1/posts?limt=1", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/posts/events?since=x", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/changes?sinse=0", status: 400, code: "bad_request"),
        Row(method: .get, path: "/v1/changes?orderBy=%22a%22", status: 400, code: "bad_request"),
    ]

    @Test("A refused upload leaves nothing behind", arguments: uploads + forms)
    func upload(row: Row) async throws {
        try await withService { service in
            try await check(row, service)
            #expect(try await service.client.get("/v1/posts").text == "{\"posts\":[],\"has_more\":false}")
            #expect(try await service.tree.get("posts") == nil)
            try await service.untilNothingIsUnfinished()
            let incoming = try service.scratch.directory().folder("Storage").folder("incoming")
            // The answer may arrive before the last part has been deleted.
            try await eventually { try incoming.entries().isEmpty }
        }
    }

    @Test(arguments: others)
    func other(row: Row) async throws {
        try await withService { try await check(row, $0) }
    }

    private func check(_ row: Row, _ service: Service) async throws {
        let answer = try await service.client.ask(row.method, row.path, headers: row.headers, body: row.body)
        let problem = answer.json
        #expect(answer.status == row.status, "\(answer.text)")
        #expect(answer.headers[.contentType] == "application/problem+json")
        #expect(problem["code"].string == row.code, "\(answer.text)")
        #expect(problem["status"].int == row.status)
        #expect(problem["type"].string == "about:blank")
        #expect(problem["title"].string?.isEmpty == false)
        #expect(problem["detail"].string?.isEmpty == false)
        #expect(problem["trace"].string?.isEmpty == false)
        #expect(!answer.text.contains(service.scratch.path), "no path of the server is told")
    }

    @Test(
        "405 names the allowed methods",
        arguments: [
            (.delete, "/v1/posts", "GET, HEAD"), (.delete, "/v1/uploads", "OPTIONS, POST, PUT"),
            (.post, "/healthz", "GET, HEAD"),
            (.get, "/v1/scrub", "POST"), (.patch, "/v1/uploads/-P6xGdOK6scoZJdt2p7F/publish", "POST"),
            (.post, "/", "GET, HEAD"), (.delete, "/media/a/b/c", "GET, HEAD"),
        ] as [(HTTPRequest.Method, String, String)])
    func methods(method: HTTPRequest.Method, path: String, allowed: String) async throws {
        try await withService { service in
            let answer = try await service.client.ask(method, path)
            #expect(answer.status == 405)
            #expect(answer.headers[.allow] == allowed)
            #expect(answer.json["code"].string == "method_not_allowed")
        }
    }

    @Test("An unknown user is refused where first posts do not create people")
    func unknownUser() async throws {
        try await withService(change: { $0.createsPeople = false }) { service in
            let answer = try await service.client.ask(.post, "/v1/uploads?user=maria&text=x")
            #expect(answer.status == 404)
            #expect(answer.json["code"].string == "unknown_user")
            #expect(answer.json["hint"].string?.contains("create") == true)
        }
    }

    @Test("Internal faults are answered with 5xx, without details")
    func trouble() async throws {
        try await withService { service in
            await service.tree.close()
            let answer = try await service.client.get("/healthz")
            #expect(answer.status == 503)
            #expect(answer.headers[.retryAfter] != nil)
            #expect(!answer.text.contains("closed"))
        }
    }
}
