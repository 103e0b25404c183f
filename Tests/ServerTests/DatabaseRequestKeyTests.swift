import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("The database: idempotency keys", .timeLimit(.minutes(20)))
struct DatabaseRequestKeyTests {
    private static let field = HTTPField.Name.named("idempotency-key")

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: String = "", key: String?, headers: HTTPFields = [:],
        to client: some AskingClient
    ) async throws -> Answer {
        var headers = headers
        headers[Self.field] = key
        return try await client.ask(
            method, path, headers: headers, body: json.isEmpty ? .none : .bytes(Array(json.utf8)))
    }

    @Test(
        "The second and third repetition get the answer of the first request, and write nothing",
        arguments: [
            (.post, "/a.json", #"{"t":{".sv":"timestamp"}}"#), (.put, "/a.json", #"{"n":{".sv":{"increment":1}}}"#),
            (.put, "/a/.priority.json", "3"), (.put, "/a.json", "null"), (.patch, "/a.json", #"{"b/c":1,"d":null}"#),
            (.patch, "/.json", #"{"a/x":{".sv":{"increment":2}},"b":{".sv":"timestamp"}}"#), (.delete, "/a.json", ""),
            (.post, "/a.json?print=pretty", "[1,2]"), (.put, "/a.json?print=silent", "1"),
        ] as [(HTTPRequest.Method, String, String)])
    func repeated(method: HTTPRequest.Method, path: String, json: String) async throws {
        try await withService { service in
            let client = service.client
            _ = try await client.ask(.put, "/a.json", body: .bytes(Array(#"{"d":1,"x":40}"#.utf8)))
            let headers: HTTPFields = [.named("x-firebase-etag"): "true"]
            let first = try await send(method, path, json, key: "one", headers: headers, to: client)
            #expect([200, 204].contains(first.status), "\(first.text)")
            let after = try await client.get("/.json?format=export").text
            _ = try await client.ask(.put, "/a/later.json", body: .bytes(Array("1".utf8)))
            let later = try await client.get("/.json?format=export").text
            for _ in 0..<2 {
                let again = try await send(method, path, json, key: "one", headers: headers, to: client)
                #expect(again.status == first.status && again.text == first.text, "\(again.text)")
                #expect(again.headers[.eTag] == first.headers[.eTag])
            }
            #expect(try await client.get("/.json?format=export").text == later, "after the first: \(after)")
        }
    }

    @Test("A lost answer is repeated although the condition of the request no longer holds")
    func conditional() async throws {
        try await withService { service in
            let client = service.client
            for _ in 0..<3 {
                let answer = try await send(
                    .put, "/a.json", "1", key: "put", headers: [.ifMatch: "null_etag"], to: client)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let field = HTTPField.Name.named("tintype-if-match")
            for _ in 0..<3 {
                let answer = try await send(
                    .patch, "/.json", #"{"b":1}"#, key: "patch", headers: [field: #"{"b":null}"#], to: client)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let other = try await send(
                .patch, "/.json", #"{"b":1}"#, key: "patch", headers: [field: #"{"c":null}"#], to: client)
            #expect(other.status == 422, "\(other.text)")
            // A request whose condition did not hold has left its key free.
            #expect(
                try await send(.put, "/a.json", "2", key: "x", headers: [.ifMatch: "null_etag"], to: client).status
                    == 412)
            #expect(try await send(.put, "/a.json", "3", key: "x", to: client).status == 200)
        }
    }

    @Test("Another request with the key is refused with 422; the key of another identity is another key")
    func identities() async throws {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"list": {".read": true, ".write": true}}}"#)
            let clients: [(HTTPFields, String)] = [
                ([:], "anonymous"), (try service.headers(of: "maria"), "maria"),
                (try service.headers(of: "anna"), "anna"),
            ]
            var names: Set<String> = []
            for (headers, name) in clients {
                let answers = [
                    try await send(
                        .post, "/list.json", "\"\(name)\"", key: "one", headers: headers, to: service.tcpClient),
                    try await send(
                        .post, "/list.json", " \"\(name)\"", key: "one", headers: headers, to: service.tcpClient),
                ]
                #expect(answers.allSatisfy { $0.status == 200 && $0.text == answers[0].text })
                names.insert(answers[0].json["name"].string ?? "")
                let other = try await send(
                    .post, "/list.json", "1", key: "one", headers: headers, to: service.tcpClient)
                #expect(other.status == 422, "\(other.text)")
                #expect(other.json["error"].string?.contains("idempotency key") == true)
            }
            let owner = try await send(.post, "/list.json", "\"owner\"", key: "one", to: service.client)
            names.insert(owner.json["name"].string ?? "")
            #expect(names.count == 4 && !names.contains(""))
            #expect(names.isSubset(of: try await service.client.get("/list.json").json.keys))
        }
    }

    @Test(
        "Malformed keys are refused before anything is written",
        arguments: [HTTPRequest.Method.put, .post, .patch, .delete])
    func malformed(method: HTTPRequest.Method) async throws {
        try await withService { service in
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("1".utf8)))
            for key in ["", String(repeating: "x", count: 201)] {
                let answer = try await send(method, "/a.json", #"{"b":1}"#, key: key, to: service.client)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.json["error"].string?.contains("1 to 200 printable ASCII characters") == true)
            }
            #expect(try await service.client.get("/a.json").text == "1")
            let longest = try await send(
                .put, "/a.json", "2", key: String(repeating: "/", count: 200), to: service.client)
            #expect(longest.status == 200, "\(longest.text)")
        }
    }

    @Test("A repetition while the first request is under way makes no second child")
    func concurrent() async throws {
        try await withService { service in
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        try await send(.post, "/list.json", #"{"text":"x"}"#, key: "% . [ ] / #", to: service.client)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.text == answers[0].text })
            let name = answers[0].json["name"].string ?? ""
            #expect(try await service.client.get("/list.json?shallow=true").json.keys == [name])
        }
    }

    @Test("The keys are in a tree that no client can read")
    func hidden() async throws {
        try await withService { service in
            _ = try await send(.put, "/a.json", "1", key: "one", to: service.client)
            #expect(try await service.client.get("/.json").text == #"{"a":1}"#)
            #expect(try await service.client.get("/requests.json").text == "null")
            #expect(try await service.client.get("/requests.json?ns=.social").status == 404)
        }
    }
}
