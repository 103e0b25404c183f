import Client
import HTTPTypes
import Keeping
import Model
import NIOCore
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("An idempotency key is bound to its request: another body never gets its answer", .timeLimit(.minutes(20)))
struct IdempotencyKeyTests {
    /// A request with the key of another one.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var query = "user=maria&text=one"
        var headers: HTTPFields = [:]
        var body: @Sendable () throws -> [UInt8] = { try fixture("size-97x61.jpg") }
        let isSame: Bool
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "the same", isSame: true),
        Case(name: "the same with white space around the text", query: "user=maria&text=%20one%20", isSame: true),
        Case(name: "the same under another file name", query: "user=maria&text=one&name=b.jpg", isSame: true),
        Case(
            name: "the same as a form", query: "", headers: Form.contentType,
            body: {
                Form().field("user", "maria").photo(try fixture("size-97x61.jpg")).field("text", "one").closed
            }, isSame: true),
        Case(name: "another photo", body: { try fixture("plain.gif") }, isSame: false),
        Case(name: "another text", query: "user=maria&text=two", isSame: false),
        Case(name: "the same with a blank alternative text", query: "user=maria&text=one&alt=%20", isSame: true),
        Case(name: "an alternative text", query: "user=maria&text=one&alt=A+lake", isSame: false),
        Case(name: "no text", query: "user=maria", isSame: false),
        Case(name: "no photo", body: { [] }, isSame: false),
        Case(name: "garbage", body: { Array("no photo at all".utf8) }, isSame: false),
        Case(name: "a draft", query: "user=maria&text=one&draft=true", isSame: false),
        Case(
            name: "one photo more", headers: Form.contentType,
            body: {
                Form().photo(try fixture("size-97x61.jpg")).photo(try fixture("size-97x61.jpg")).closed
            }, isSame: false),
    ]

    private static let key: HTTPFields = [.named("idempotency-key"): "one"]

    private func send(_ example: Case, _ service: Service) async throws -> Answer {
        try await service.client.ask(
            .post, "/v1/uploads?\(example.query)", headers: Self.key.merging(example.headers),
            body: .bytes(try example.body()))
    }

    @Test(arguments: cases)
    func again(_ example: Case) async throws {
        try await withService { service in
            let first = try await send(Self.cases[0], service)
            #expect(first.status == 201, "\(first.text)")
            let answer = try await send(example, service)
            if example.isSame {
                #expect(answer.status == 201)
                #expect(answer.json == first.json)
            } else {
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer.json["code"].string == "key_reused")
                #expect(answer.json["detail"].string?.contains(first.json["post_id"].string ?? "?") == true)
            }
            for _ in 0..<3 {
                #expect(try await send(Self.cases[0], service).json == first.json, "the first one stands")
            }
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
            #expect(try await service.pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("Twenty different bodies at once become one post and nineteen refusals")
    func race() async throws {
        try await withService { service in
            let jpeg = try fixture("size-97x61.jpg")
            let statuses = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await service.client.ask(
                            .post, "/v1/uploads?user=maria&text=number\(number)", headers: Self.key, body: .bytes(jpeg)
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 201 }.count == 1)
            #expect(statuses.filter { $0 == 422 }.count == 19)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
        }
    }

    @Test("A key whose first try was refused accepts a good photo, and is bound to it afterwards")
    func afterFailure() async throws {
        try await withService { service in
            let bad = Case(name: "bad", body: { try fixture("truncated-baseline-420.jpg") }, isSame: false)
            for _ in 0..<2 { #expect(try await send(bad, service).json["code"].string == "truncated") }
            try await eventually { try await service.pipeline.report.status().failed >= 1 }
            #expect(try await service.pipeline.report.status().failed == 1, "the same again is not tried again")
            let garbage = Case(name: "garbage", body: { Array("no photo".utf8) }, isSame: false)
            #expect(try await send(garbage, service).status == 415)
            #expect(try await send(bad, service).json["code"].string == "truncated", "the key is where it was")

            let good = try await send(Self.cases[0], service)
            #expect(good.status == 201, "\(good.text)")
            #expect(try await send(Self.cases[0], service).json == good.json)
            #expect(try await send(bad, service).json["code"].string == "key_reused")
            try await service.untilNothingIsUnfinished()
            #expect(try await service.pipeline.unclaimed.list().isEmpty)
        }
    }

    @Test("Twenty requests at once with a key whose first try was refused: one of them takes the key over")
    func raceAfterFailure() async throws {
        try await withService { service in
            let bad = Case(name: "bad", body: { try fixture("truncated-baseline-420.jpg") }, isSame: false)
            #expect(try await send(bad, service).status == 422)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await send(Self.cases[0], service) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.status)) == [201])
            #expect(Set(answers.map(\.json)).count == 1)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
        }
    }

    @Test("A draft's key finds the draft again by the request that created it, and by no other")
    func drafts() async throws {
        try await withService { service in
            let begin = Case(name: "draft", query: "user=maria&text=one&draft=true", isSame: true)
            let draft = try await send(begin, service)
            #expect(draft.status == 201, "\(draft.text)")
            let id = draft.json["upload_id"].string ?? ""
            let more = try await service.client.ask(
                .post, "/v1/uploads/\(id)/photos", body: .bytes(try fixture("plain.gif")))
            #expect(more.json["photos"].array.count == 2, "\(more.text)")
            let again = try await send(begin, service)
            #expect(again.json["upload_id"].string == id)
            #expect(again.json["photos"].array.count == 2)
            for example in Self.cases where !example.isSame && example.name != "a draft" {
                #expect(try await send(example, service).json["code"].string == "key_reused", "\(example.name)")
            }
            #expect(try await service.client.ask(.post, "/v1/uploads/\(id)/publish?text=two").status == 201)
            #expect(try await send(begin, service).json["upload_id"].string == id)
        }
    }

    @Test("A record of an earlier version, without a fingerprint, gives its former answer")
    func earlierVersion() async throws {
        try await withService { service in
            let first = try await send(Self.cases[0], service)
            let id = try #require(PostID(first.json["post_id"].string ?? ""))
            try await service.tree.set(UploadNodes.upload(id) / "fingerprint", to: nil)
            #expect(try await send(Self.cases[0], service).json == first.json)
        }
    }
}

extension HTTPFields {
    fileprivate func merging(_ other: HTTPFields) -> HTTPFields {
        var fields = self
        for field in other { fields[field.name] = field.value }
        return fields
    }
}
