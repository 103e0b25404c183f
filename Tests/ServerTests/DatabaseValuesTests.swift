import Access
import Client
import Cryptography
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("GET /v1/values: several paths from one state", .timeLimit(.minutes(20)))
struct DatabaseValuesTests {
    private func put(_ path: String, _ json: String, _ service: Service) async throws {
        #expect(try await service.client.ask(.put, path, body: .bytes(Array(json.utf8))).status == 200)
    }

    @Test("The values are in the order of the paths, each with the ETag of a single read, and with one token")
    func values() async throws {
        try await withService { service in
            try await put("/a.json", #"{"b":[1,2],"c":{".value":"x",".priority":3}}"#, service)
            try await put("/a.json?ns=other", "7", service)
            let answer = try await service.client.get("/v1/values?path=a/c&path=/a/b/&path=none&path=%22")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
            let values = answer.json["values"].array
            #expect(values.map { $0["path"].string } == ["a/c", "/a/b/", "none", "\""])
            #expect(
                values.map { $0["value"] } == [
                    .string("x"), .array([.number(1), .number(2)]), .null, .null,
                ])
            for (value, path) in zip(values, ["a/c", "a/b", "none", "%22"]) {
                let single = try await service.client.get(
                    "/\(path).json", headers: [.named("x-firebase-etag"): "true"])
                #expect(single.headers[.eTag] == value["etag"].string, "\(path)")
                #expect(value.keys == ["path", "value", "etag"])
            }
            #expect(answer.json["token"].string == "\(try await service.tree.token)")
            #expect(answer.headers[.named("tintype-token")] == answer.json["token"].string)
            let export = try await service.client.get("/v1/values?path=a/c&format=export").json["values"][0]
            #expect(export["value"] == .object([".value": .string("x"), ".priority": .number(3)]))
            let shallow = try await service.client.get("/v1/values?path=a&path=a/c&shallow=true").json["values"].array
            #expect(shallow.map { $0["value"] } == [.object(["b": .bool(true), "c": .bool(true)]), .string("x")])
            #expect(shallow.allSatisfy { $0.keys == ["path", "value"] })
            let other = try await service.client.get("/v1/values?path=a&ns=other").json["values"][0]
            #expect(other["value"] == .number(7))
        }
    }

    @Test("A path that may not be read, or is none, is an error of its own")
    func refusedPaths() async throws {
        try await withService { service in
            try await service.tree.setRules(
                #"{"rules": {"open": {".read": true}, "people": {"$uid": {".read": "auth.uid === $uid"}}}}"#)
            try await service.tree.set("open", to: 1)
            try await service.tree.set("people", to: ["maria": 2, "anna": 3])
            let path = "/v1/values?path=open&path=people&path=people/maria&path=people/anna&path=a.b&path=/"
            for (headers, readable) in [
                (HTTPFields(), [0]), (try service.headers(of: "maria"), [0, 2]),
                (try service.headers(of: "anna"), [0, 3]),
            ] {
                let answer = try await service.tcpClient.get(path, headers: headers)
                #expect(answer.status == 200, "\(answer.text)")
                for (index, value) in answer.json["values"].array.enumerated() {
                    let isReadable = readable.contains(index)
                    #expect(value.keys == (isReadable ? ["path", "value", "etag"] : ["path", "error"]), "\(value)")
                    guard !isReadable else { continue }
                    #expect(
                        value["error"]["code"].string == (index == 4 ? "invalid_path" : "permission_denied"), "\(value)"
                    )
                    #expect(value["error"]["message"].string?.isEmpty == false)
                }
            }
        }
    }

    @Test("All values are from one state, although others write meanwhile")
    func oneState() async throws {
        try await withService { service in
            try await put("/pair.json", #"{"a":0,"b":0}"#, service)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...60 {
                        _ = try await service.client.ask(
                            .patch, "/pair.json", body: .bytes(Array(#"{"a":\#(number),"b":\#(number)}"#.utf8)))
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<40 {
                            let values = try await service.client.get("/v1/values?path=pair/a&path=pair/b").json[
                                "values"]
                            #expect(values[0]["value"] == values[1]["value"])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A value that does not fit is an error of its own; those after it are read")
    func sizes() async throws {
        try await withService { service in
            try await put("/large.json", "\"\(String(repeating: "x", count: 3 << 20))\"", service)
            try await put("/large2.json", "\"\(String(repeating: "x", count: 3 << 20))\"", service)
            let list = String(repeating: "\"\(String(repeating: "y", count: 1000))\",", count: 5000).dropLast()
            try await put("/larger.json", "[\(list)]", service)
            try await put("/small.json", "1", service)
            let values = try await service.client.get(
                "/v1/values?path=larger&path=large&path=large2&path=small"
            ).json["values"].array
            #expect(values.map { $0["error"]["code"].string } == ["too_large", nil, "too_large", nil])
            #expect(values[3]["value"] == .number(1))
            let keys = try await service.client.get("/v1/values?path=larger&shallow=true").json["values"][0]
            #expect(keys["value"].keys.count == 5000)
        }
    }

    @Test(
        "Malformed requests are refused and named",
        arguments: [
            ("", "bad_request", "0 paths"), ("?paths=a", "bad_request", "paths"), ("?path=%FF", "bad_request", "UTF-8"),
            ("?path=a&shallow=x", "bad_request", "shallow"), ("?path=a&ns=a.b", "invalid_namespace", "a.b"),
            ("?" + String(repeating: "path=a&", count: 101) + "format=export", "bad_request", "101 paths"),
            ("?path=a/b&path=c&path=/a/b/", "bad_request", "twice"),
        ])
    func refusals(query: String, code: String, mentions: String) async throws {
        try await withService { service in
            let answer = try await service.client.get("/v1/values" + query)
            #expect(answer.json["code"].string == code, "\(answer.text)")
            #expect(answer.text.contains(mentions))
            let hundred = try await service.client.get(
                "/v1/values?" + (0..<100).map { "path=k\($0)" }.joined(separator: "&"))
            #expect(hundred.json["values"].array.count == 100)
            #expect(try await service.client.ask(.post, "/v1/values?path=a").status == 405)
        }
    }

    @Test("Without rules, clients over TCP read nothing, except with the secret")
    func access() async throws {
        let secret = "0123456789abcdef"
        try await withService(changeAccess: { $0.secrets = [Secret(secret)] }) { service in
            let denied = try await service.tcpClient.get("/v1/values?path=a")
            #expect(denied.json["values"][0]["error"]["code"].string == "permission_denied", "\(denied.text)")
            let right = try await service.tcpClient.get("/v1/values?path=a&auth=\(secret)")
            #expect(right.json["values"][0]["value"] == .null && right.status == 200)
            #expect(right.json["values"][0]["etag"].string == "null_etag")
            let wrong = try await service.tcpClient.get("/v1/values?path=a", headers: [.authorization: "Bearer owner"])
            #expect(wrong.status == 401)
        }
    }
}
