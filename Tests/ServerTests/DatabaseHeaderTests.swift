import Client
import HTTPTypes
import Requests
import Server
import Service
import TestSupport
import Testing
import Tree

@Suite("The database over HTTP: headers", .timeLimit(.minutes(20)))
struct DatabaseHeaderTests {
    @Test("Every answer has its type, and headers that keep pages from using it as an image or a script")
    func headers() async throws {
        try await withService { service in
            for (method, path) in [
                (HTTPRequest.Method.get, "/a.json"), (.delete, "/a.json"), (.put, "/a.json"), (.get, "/$.json"),
            ] {
                let headers = try await service.client.ask(method, path).headers
                #expect(headers[.contentType] == "application/json; charset=utf-8")
                #expect(headers[.cacheControl] == "no-cache")
                #expect(headers[.named("cross-origin-resource-policy")] == "same-origin")
                #expect(headers[.accessControlAllowOrigin] == nil)
            }
            let script = try await service.client.get("/a.json?callback=f")
            #expect(script.headers[.contentType] == "application/javascript; charset=utf-8")
            #expect(script.headers[.named("cross-origin-resource-policy")] == "cross-origin")
        }
    }

    @Test("A browser's preflight request gets the requested methods and headers")
    func preflight() async throws {
        try await withService(changeServer: { $0.allowedOrigins = .these(["https://app.example"]) }) { service in
            let answer = try await service.client.ask(
                .options, "/a.json",
                headers: [
                    .origin: "https://app.example", .accessControlRequestMethod: "PATCH",
                    .accessControlRequestHeaders: "x-firebase-etag, if-match",
                ])
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(answer.headers[.accessControlAllowHeaders] == "x-firebase-etag, if-match")
            #expect(answer.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
        }
    }

    @Test(
        "A download has a file name that is valid on every file system",
        arguments: [("tree.json", "tree.json"), ("a\"b\r\nc/..", "a_b__c_.."), ("grüße", "gr__e"), ("", "")])
    func download(asked: String, name: String) async throws {
        try await withService { service in
            let encoded = asked.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let answer = try await service.client.get("/a.json?download=\(encoded)")
            #expect(answer.headers[.contentDisposition] == "attachment; filename=\"\(name)\"")
        }
    }

    @Test("HEAD has the headers of GET and no body")
    func head() async throws {
        try await withService { service in
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("\"text\"".utf8)))
            let answer = try await service.client.ask(.head, "/a.json", headers: [.named("x-firebase-etag"): "true"])
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers[.contentLength] == "6")
            #expect(answer.headers[.eTag]?.isEmpty == false)
        }
    }

    @Test("POST gives keys in the order of time, and a token marks the state that a reader has seen")
    func push() async throws {
        try await withService { service in
            var names: [String] = []
            for number in 0..<5 {
                let answer = try await service.client.ask(.post, "/a.json", body: .bytes(Array("\(number)".utf8)))
                #expect(answer.json.keys == ["name"])
                names.append(answer.json["name"].string ?? "")
            }
            #expect(names == names.sorted() && Set(names).count == 5)
            let all = try await service.client.get("/a.json")
            #expect(names.map { all.json[$0].int } == [0, 1, 2, 3, 4])
            let changes = try await service.tree.changes(since: .start, limit: 100)
            #expect(all.headers[.named("tintype-token")] == changes.last.map { "\($0.token)" })
        }
    }
}
