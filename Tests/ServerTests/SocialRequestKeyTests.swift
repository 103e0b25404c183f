import Client
import Foundation
import HTTPTypes
import Model
import Social
import TestSupport
import Testing
import Tree

@Suite("Idempotency keys of comments and announcements", .timeLimit(.minutes(20)))
struct SocialRequestKeyTests {
    private func send(
        _ path: String, _ json: String, key: String?, as uid: String? = nil, _ service: Service
    ) async throws -> Answer {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.named("idempotency-key")] = key
        let query = uid.map { "?as=\($0)" } ?? ""
        return try await service.client.ask(.post, path + query, headers: headers, body: .bytes(Array(json.utf8)))
    }

    @Test("The same comment again, even at the same time, is one comment, and gets the same answer")
    func comments() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "anna")
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/comments"
            let json = #"{"text":" Hi @Anna ","mentions":[{"uid":"anna","start":4,"length":5}]}"#
            let answers = try await withThrowingTaskGroup(of: Answer.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await send(path, json, key: "one % [.]", as: "anna", service) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 && $0.json == answers[0].json }, "\(answers.map(\.text))")
            #expect(Set(answers.map { $0.headers[.location] }).count == 1)
            let same = #"{"mentions":[{"length":5,"start":3,"uid":"anna"}],"text":"Hi @Anna"}"#
            #expect(try await send(path, same, key: "one % [.]", as: "anna", service).json == answers[0].json)
            #expect(try await service.client.get("/stats/posts/\(id)/comments.json").json.int == 1)
            // Another request with the key, and the same key of another user.
            let second = try await service.client.post("other") ?? ""
            for (path, json) in [(path, #"{"text":"Hi @Anna"}"#), ("/v1/posts/\(second)/comments", json)] {
                let other = try await send(path, json, key: "one % [.]", as: "anna", service)
                #expect(other.status == 422 && other.json["code"].string == "key_reused", "\(other.text)")
            }
            #expect(try await send(path, json, key: "one % [.]", as: "maria", service).status == 201)
            #expect(try await send(path, json, key: nil, as: "anna", service).status == 201)
            #expect(try await service.client.get("/stats/posts/\(id)/comments.json").json.int == 3)
            // A refused request has left the key free; a deleted comment does not return.
            #expect(try await send(path, #"{"text":""}"#, key: "two", as: "anna", service).status == 400)
            #expect(try await send(path, json, key: "two", as: "anna", service).status == 201)
            let comment = answers[0].json["comment_id"].string ?? ""
            #expect(try await service.client.ask(.delete, "\(path)/\(comment)").status == 200)
            let deleted = try await send(path, json, key: "one % [.]", as: "anna", service)
            #expect(deleted.status == 410 && deleted.json["code"].string == "deleted")
            for key in ["", String(repeating: "x", count: 201)] {
                #expect(try await send(path, json, key: key, as: "anna", service).status == 400, "\(key)")
            }
        }
    }

    @Test("The same announcement again is one announcement; another audience or title is refused")
    func announcements() async throws {
        try await withService { service in
            try await service.addPeople("maria", "anna")
            for json in [#"{"text":"Dinner"}"#, #"{"text":"Dinner","to":["maria","anna"]}"#] {
                let key = "\(json.utf8.count)"
                let first = try await send("/v1/announcements", json, key: key, service)
                #expect(first.status == 201, "\(first.text)")
                #expect(try await send("/v1/announcements", json, key: key, service).json == first.json)
                for other in [
                    #"{"text":"Supper"}"#, #"{"text":"Dinner","title":"x"}"#, #"{"text":"Dinner","to":["anna"]}"#,
                ] {
                    let answer = try await send("/v1/announcements", other, key: key, service)
                    #expect(answer.status == 422 && answer.json["code"].string == "key_reused", "\(other)")
                }
                let id = first.json["id"].string ?? ""
                #expect(try await service.client.ask(.delete, "/v1/announcements/\(id)").status == 200)
                #expect(try await send("/v1/announcements", json, key: key, service).status == 410)
            }
            #expect(try await service.client.get("/v1/announcements").json["announcements"].array.isEmpty)
        }
    }

    @Test("Keys are deleted with the records of uploads, and leave nothing behind")
    func forgotten() async throws {
        try await withService { service in
            let id = try await service.client.post("hello") ?? ""
            let path = "/v1/posts/\(id)/comments"
            for number in 0..<3 {
                #expect(try await send(path, #"{"text":"x"}"#, key: "\(number)", as: "maria", service).status == 201)
            }
            let keys = RequestKeys(service.tree, at: WorkNodes.requests)
            let now = WallClock.now()
            try await keys.forget(before: now - .seconds(60))
            #expect(try await send(path, #"{"text":"y"}"#, key: "0", as: "maria", service).status == 422)
            try await keys.forget(before: now + .seconds(60))
            #expect(try await send(path, #"{"text":"y"}"#, key: "0", as: "maria", service).status == 201)
            try await keys.forget(before: now + .seconds(60))
            for place in ["requests", "request_order"] as [TreeKey] {
                #expect(try await service.tree.get(TreePath([place], in: .social)) == nil)
            }
        }
    }
}
