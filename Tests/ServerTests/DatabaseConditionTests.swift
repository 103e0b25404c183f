import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("The database: ETags and conditions", .timeLimit(.minutes(20)))
struct DatabaseConditionTests {
    private func put(
        _ value: String, _ client: ServiceClient, headers: HTTPFields = [:], path: String = "/a.json"
    ) async throws -> Answer {
        try await client.ask(.put, path, headers: headers, body: .bytes(Array(value.utf8)))
    }

    private func etag(_ client: ServiceClient) async throws -> String {
        let answer = try await client.get("/a.json", headers: [.named("x-firebase-etag"): "true"])
        return answer.headers[.eTag] ?? ""
    }

    @Test("Another value or another priority has another ETag; a missing value has null_etag")
    func names() async throws {
        try await withService { service in
            var seen: [String] = [try await etag(service.client)]
            for value in [
                "1", "2", "\"1\"", "true", "{\"b\":1}", "{\"b\":{\"c\":1}}", "{\".value\":1,\".priority\":1}",
                "{\".value\":1,\".priority\":2}", "[1,2]",
            ] {
                let written = try await put(value, service.client, headers: [.named("x-firebase-etag"): "true"])
                let read = try await etag(service.client)
                #expect(written.headers[.eTag] == read, "that of a PUT is that of the next GET")
                seen.append(read)
            }
            #expect(Set(seen).count == seen.count)
            #expect(seen.first == "null_etag")
            #expect(try await service.client.get("/a.json").headers[.eTag] == nil, "nobody asked")
        }
    }

    @Test("F15: A reader that has the value already gets 304")
    func ifNoneMatch() async throws {
        try await withService { service in
            _ = try await put("{\"b\":1}", service.client)
            let etag = try await etag(service.client)
            let same = try await service.client.get("/a.json", headers: [.ifNoneMatch: etag])
            #expect(same.status == 304 && same.body.isEmpty && same.headers[.eTag] == etag)
            _ = try await put("2", service.client, path: "/a/b.json")
            let other = try await service.client.get("/a.json", headers: [.ifNoneMatch: etag])
            #expect(other.status == 200 && other.text == "{\"b\":2}")
            #expect(other.headers[.eTag] != nil && other.headers[.eTag] != etag)
        }
    }

    @Test("K6, K7: A write succeeds when the ETag matches; otherwise it gets the current value")
    func ifMatch() async throws {
        try await withService { service in
            let client = service.client
            let created = try await put("1", client, headers: [.ifMatch: "null_etag"])
            let first = try await etag(client)
            #expect(created.status == 200 && created.headers[.eTag] == first)
            let refused = try await put("2", client, headers: [.ifMatch: "null_etag"])
            #expect(refused.status == 412 && refused.text == "1" && refused.headers[.eTag] == first)
            let silent = try await put("3", client, headers: [.ifMatch: first], path: "/a.json?print=silent")
            #expect(silent.status == 204 && silent.headers[.eTag]?.isEmpty == false)
            let second = silent.headers[.eTag] ?? ""
            let wrong = try await client.ask(.delete, "/a.json?print=silent", headers: [.ifMatch: first])
            #expect(wrong.status == 412 && wrong.text == "3")
            let deleted = try await client.ask(.delete, "/a.json", headers: [.ifMatch: second])
            #expect(deleted.status == 200 && deleted.headers[.eTag] == "null_etag")
        }
    }

    @Test(
        "A condition that a request cannot have is refused, and nothing is written",
        arguments: [
            (.post, "/a.json", ["if-match": "null_etag"]), (.put, "/a/.priority.json", ["if-match": "null_etag"]),
            (.patch, "/a/.priority.json", ["if-match": "null_etag"]),
            (.post, "/a.json", ["tintype-if-match": #"{"b":null}"#]),
            (.put, "/a.json", ["tintype-if-match": #"{"b":null}"#]),
            (.delete, "/a.json", ["tintype-if-match": #"{"b":null}"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"b":null}"#, "if-match": "null_etag"]),
            (.patch, "/a.json", ["tintype-if-match": ""]), (.patch, "/a.json", ["tintype-if-match": "{}"]),
            (.patch, "/a.json", ["tintype-if-match": "null_etag"]),
            (.patch, "/a.json", ["tintype-if-match": #"["b"]"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"b":1}"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"b.c":null}"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"b":null,"b/c":null}"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"b":null,"/b/":null}"#]),
            (.patch, "/a.json", ["tintype-if-match": #"{"\#(String(repeating: "a/", count: 32))":null}"#]),
            (.patch, "/a.json", ["tintype-if-match": "{\(conditions(101))}"]),
            (.patch, "/a.json", ["tintype-if-match": #"{"\#(String(repeating: "a", count: 17_000))":null}"#]),
        ] as [(HTTPRequest.Method, String, [String: String])])
    func notSupported(method: HTTPRequest.Method, path: String, fields: [String: String]) async throws {
        try await withService { service in
            var headers = HTTPFields()
            for (name, value) in fields { headers[.named(name)] = value }
            let answer = try await service.client.ask(
                method, path, headers: headers, body: .bytes(Array("{\"b\":1}".utf8)))
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.json["error"].string?.isEmpty == false)
            #expect(try await service.client.get("/a.json").text == "null")
        }
    }

    /// Returns the members of an object with conditions on so many paths, none of which exists.
    private static func conditions(_ count: Int) -> String {
        (0..<count).map { #""k\#($0)":null"# }.joined(separator: ",")
    }

    private func patch(
        _ value: String, _ client: some AskingClient, headers: HTTPFields, path: String = "/a.json"
    ) async throws -> Answer {
        try await client.ask(.patch, path, headers: headers, body: .bytes(Array(value.utf8)))
    }

    @Test("A PATCH succeeds when the ETag of its node matches; otherwise it gets the current value")
    func patched() async throws {
        try await withService { service in
            let client = service.client
            let created = try await patch(#"{"b":1}"#, client, headers: [.ifMatch: "null_etag"])
            #expect(created.status == 200 && created.text == #"{"b":1}"#, "\(created.text)")
            let first = try await etag(client)
            let refused = try await patch(#"{"c":2}"#, client, headers: [.ifMatch: "null_etag"])
            #expect(refused.status == 412 && refused.text == #"{"b":1}"# && refused.headers[.eTag] == first)
            #expect(try await patch(#"{"c":2}"#, client, headers: [.ifMatch: first]).status == 200)
            #expect(try await patch("null", client, headers: [.ifMatch: first]).status == 412)
            #expect(try await client.get("/a.json").text == #"{"b":1,"c":2}"#)
        }
    }

    @Test("A PATCH has conditions on any paths; if one does not hold, nothing is written, and the paths are named")
    func patchedPaths() async throws {
        try await withService { service in
            let client = service.client
            let field = HTTPField.Name.named("tintype-if-match")
            _ = try await put(#"{"b":1,"c":{"d":2}}"#, client)
            let names = try await client.get("/v1/values?path=a/b&path=a/c").json["values"].array
            let (b, c) = (names[0]["etag"].string ?? "", names[1]["etag"].string ?? "")
            let refused = try await patch(
                #"{"b":5,"x":6}"#, client, headers: [field: #"{"b":"\#(b)","c":"\#(b)","x":"\#(b)","y":null}"#])
            #expect(refused.status == 412)
            #expect(refused.json["paths"] == .object(["c": .string(c), "x": .null]), "\(refused.text)")
            #expect(refused.json["error"].string?.isEmpty == false)
            #expect(try await client.get("/a.json").text == #"{"b":1,"c":{"d":2}}"#)
            let written = try await patch(
                #"{"b":5,"x":6}"#, client, headers: [field: #"{"b":"\#(b)","/c":"\#(c)","x":null,"y/z":null}"#])
            #expect(written.status == 200, "\(written.text)")
            #expect(try await client.get("/a.json").text == #"{"b":5,"c":{"d":2},"x":6}"#)
            let again = try await patch(#"{"b":7}"#, client, headers: [field: #"{"b":"\#(b)"}"#])
            #expect(again.status == 412 && again.json["paths"].keys == ["b"])
            let many = try await patch(#"{"k1":1}"#, client, headers: [field: "{\(Self.conditions(100))}"])
            #expect(many.status == 200, "\(many.text)")
            // The paths are relative to the node of the address, in its tree.
            let other = try await patch(
                #"{"a/b":1}"#, client, headers: [field: #"{"a/b":null}"#], path: "/.json?ns=other")
            #expect(other.status == 200, "\(other.text)")
        }
    }

    @Test("A condition on a node that the writer may not read is refused, whether it holds or not")
    func unreadable() async throws {
        try await withService { service in
            try await service.tree.setRules(
                #"{"rules": {"open": {".read": true, ".write": true}, "closed": {".write": true}}}"#)
            try await service.tree.set("closed", to: ["a": 1])
            try await service.tree.set("open", to: ["a": 1])
            let field = HTTPField.Name.named("tintype-if-match")
            let etags = try await service.client.get("/v1/values?path=closed/a&path=open/a").json["values"].array
            for etag in [etags[0]["etag"].string ?? "", "other"] {
                let answers = [
                    try await patch("{\"b\":1}", service.tcpClient, headers: [.ifMatch: etag], path: "/closed.json"),
                    try await patch(
                        #"{"open/b":1}"#, service.tcpClient,
                        headers: [field: #"{"closed/a":"\#(etag)","open/a":null}"#], path: "/.json"),
                ]
                for answer in answers {
                    #expect(answer.status == 401 && answer.text == #"{"error":"Permission denied"}"#, "\(answer.text)")
                }
            }
            let held = try await patch(
                #"{"open/b":1}"#, service.tcpClient,
                headers: [field: #"{"open/a":"\#(etags[1]["etag"].string ?? "")"}"#], path: "/.json")
            #expect(held.status == 200, "\(held.text)")
            #expect(try await service.client.get("/closed.json").text == #"{"a":1}"#)
        }
    }

    @Test("Exactly one of several concurrent updates with the same conditions is applied")
    func contendedPaths() async throws {
        try await withService { service in
            _ = try await put(#"{"b":0,"c":0}"#, service.client)
            let names = try await service.client.get("/v1/values?path=a/b&path=a/c").json["values"].array
            let field = HTTPField.Name.named("tintype-if-match")
            let condition = #"{"b":"\#(names[0]["etag"].string ?? "")","c":"\#(names[1]["etag"].string ?? "")"}"#
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for number in 1...16 {
                    group.addTask {
                        try await patch(
                            #"{"b":\#(number),"c":\#(number)}"#, service.client, headers: [field: condition])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.status == 412 }.allSatisfy { $0.json["paths"].keys == ["b", "c"] })
            let value = try await service.client.get("/a.json").json
            #expect(value["b"] == value["c"] && value["b"] != .number(0))
        }
    }

    @Test("Each success among many concurrent compare-and-set writes has its own turn")
    func contended() async throws {
        try await withService { service in
            _ = try await put("0", service.client)
            let successes = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var successes = 0
                        for _ in 0..<25 {
                            let now = try await service.client.get(
                                "/a.json", headers: [.named("x-firebase-etag"): "true"])
                            let written = try await put(
                                "\((now.json.int ?? 0) + 1)", service.client,
                                headers: [.ifMatch: now.headers[.eTag] ?? ""])
                            #expect([200, 412].contains(written.status))
                            if written.status == 200 { successes += 1 }
                        }
                        return successes
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(try await service.client.get("/a.json").json.int == successes)
            #expect(successes > 0)
        }
    }
}
