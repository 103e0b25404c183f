import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The database: ETags and conditions", .timeLimit(.minutes(30)))
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

    @Test("PATCH and POST accept no conditions", arguments: [HTTPRequest.Method.patch, .post])
    func notSupported(method: HTTPRequest.Method) async throws {
        try await withService { service in
            let answer = try await service.client.ask(
                method, "/a.json", headers: [.ifMatch: "null_etag"], body: .bytes(Array("{\"b\":1}".utf8)))
            #expect(answer.status == 400)
            #expect(try await service.client.get("/a.json").text == "null")
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
