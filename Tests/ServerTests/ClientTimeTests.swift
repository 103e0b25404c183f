import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The time by the clock of the device, beside the service's", .timeLimit(.minutes(20)))
struct ClientTimeTests {
    /// A time long ago, at which something was done offline.
    private static let past = 1_500_000_000_000
    private static let future = 9_000_000_000_000_000

    /// The ways to publish a post.
    enum Way: String, CaseIterable {
        case query, form, formAfterPhoto, draft, publishedQuery, publishedJSON, publishedForm, tus, pieces
    }

    private func publish(_ way: Way, _ time: String, _ service: Service) async throws -> JSON {
        let photo = try fixture("size-97x61.jpg")
        func ask(_ path: String, _ headers: HTTPFields = [:], _ body: [UInt8] = []) async throws -> Answer {
            try await service.client.ask(.post, path, headers: headers, body: .bytes(body))
        }
        let path = "/v1/uploads?user=maria"
        switch way {
        case .query: return try await ask("\(path)&client_timestamp=\(time)", [:], photo).json
        case .form:
            let form = Form().field("client_timestamp", time).photo(photo)
            return try await ask(path, Form.contentType, form.closed).json
        case .formAfterPhoto:
            let form = Form().photo(photo).field("client_timestamp", time)
            return try await ask(path, Form.contentType, form.closed).json
        case .tus:
            let client = TusClient(client: service.client)
            let made = try await client.create([
                "upload-length": "\(photo.count)", "upload-metadata": TusClient.metadata(["client_timestamp": time]),
            ])
            guard let location = made.headers[.location] else { return made.json }
            // The answer to the last byte has no body, but the address of the post.
            let post = try #require(try await client.patch(location, from: 0, photo).headers[.contentLocation])
            let id = JSON.string(String(post.dropFirst("/v1/posts/".count)))
            return .object(["post_id": id, "post": try await service.client.get(post).json])
        case .pieces:
            let headers: HTTPFields = [.named("upload-complete"): "?1"]
            return try await ask("\(path)&client_timestamp=\(time)", headers, photo).json
        case .draft, .publishedQuery, .publishedJSON, .publishedForm: break
        }
        let given = way == .draft ? "&client_timestamp=\(time)" : ""
        let draft = try await service.client.ask(.post, "\(path)&draft=true\(given)", body: .bytes(photo))
        guard let id = draft.json["upload_id"].string else { return draft.json }
        let end = "/v1/uploads/\(id)/publish"
        switch way {
        case .publishedQuery: return try await ask("\(end)?client_timestamp=\(time)").json
        case .publishedForm:
            let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            return try await ask(end, type, Array("client_timestamp=\(time)".utf8)).json
        case .publishedJSON:
            return try await ask(end, [.contentType: "application/json"], Array(#"{"client_timestamp":\#(time)}"#.utf8))
                .json
        default: return try await ask(end).json
        }
    }

    @Test(
        "A post keeps the time of the device by each way in; a later one than the service's becomes the service's",
        arguments: Way.allCases)
    func posts(way: Way) async throws {
        try await withService { service in
            let past = try await publish(way, "\(Self.past)", service)
            #expect(past["post"]["client_timestamp"].int == Self.past, "\(past)")
            let id = past["post_id"].string ?? ""
            #expect(try await service.client.get("/v1/posts/\(id)").json["client_timestamp"].int == Self.past)
            #expect(try await service.client.get("/v1/uploads/\(id)").json["client_timestamp"].int == Self.past)
            let future = try await publish(way, "\(Self.future)", service)
            let (made, told) = (future["post"]["timestamp"].int ?? 0, future["post"]["client_timestamp"].int ?? .max)
            #expect(told <= made && told > made - 3_600_000, "\(future)")
            // The order is that of publication.
            let list = try await service.client.get("/v1/posts").json["posts"].array
            #expect(list.map { $0["post_id"] } == [future["post_id"], past["post_id"]])
            for text in ["-1", "x", "1.5", ""] {
                let refused = try await publish(way, text, service)
                let codes = way == .publishedJSON && ["x", ""].contains(text) ? ["bad_request"] : ["bad_timestamp"]
                #expect(codes.contains(refused["code"].string ?? ""), "\(text): \(refused)")
            }
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 2)
        }
    }

    @Test("A post without the time of the device has none; a key is not bound to it")
    func absent() async throws {
        try await withService { service in
            let none = try await service.client.ask(.post, "/v1/uploads?user=maria&text=a").json
            #expect(none["post"]["client_timestamp"] == .null && none["post"]["timestamp"].int != nil)
            func send(_ time: Int) async throws -> JSON {
                try await service.client.ask(
                    .post, "/v1/uploads?user=maria&text=b&client_timestamp=\(time)",
                    headers: [.named("idempotency-key"): "one"]
                ).json
            }
            let first = try await send(5)
            #expect(try await send(6) == first && first["post"]["client_timestamp"].int == 5)
            let form = Form().field("draft", "true").photo(try fixture("size-97x61.jpg")).field("client_timestamp", "5")
            let late = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: Form.contentType, body: .bytes(form.closed))
            #expect(late.status == 400 && late.json["code"].string == "bad_request", "\(late.text)")
        }
    }

    @Test("A comment and its changes keep the time of the device, and so does an edit of a post")
    func comments() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "anna")
            let id = try #require(try await service.client.post("hello"))
            let path = "/v1/posts/\(id)/comments"
            let made = try await service.ask(.post, path, as: "anna", #"{"text":"a","client_timestamp":\#(Self.past)}"#)
            #expect(
                made.json["client_timestamp"].int == Self.past && made.json["client_edited"] == .null, "\(made.text)")
            let comment = made.json["comment_id"].string ?? ""
            let changes = [
                (#"{"text":"b","client_timestamp":7}"#, 7 as Int?), (#"{"text":"b","client_timestamp":8}"#, 7),
                (#"{"text":"c"}"#, nil),
            ]
            for (body, time) in changes {
                let answer = try await service.ask(.patch, "\(path)/\(comment)", as: "anna", body)
                #expect(answer.json["client_edited"].int == time && answer.json["edited"].int != nil, "\(answer.text)")
                #expect(answer.json["client_timestamp"].int == Self.past)
            }
            // Clients of the database may write the comment again, with this time and no other.
            var record = try await service.client.get("/comments/\(id)/\(comment).json").text
            #expect(try await service.ask(.put, "/comments/\(id)/\(comment).json", as: "anna", record).status == 200)
            record = record.replacing("\(Self.past)", with: "\(Self.past - 1)")
            #expect(try await service.ask(.put, "/comments/\(id)/\(comment).json", as: "anna", record).status != 200)
            for (body, time) in [(#"{"text":"x","client_timestamp":9}"#, 9 as Int?), (#"{"text":"y"}"#, nil)] {
                let answer = try await service.ask(.patch, "/v1/posts/\(id)", as: "maria", body)
                #expect(answer.json["client_edited"].int == time && answer.json["edited"].int != nil, "\(answer.text)")
            }
            let later = try await service.ask(
                .post, path, as: "anna", #"{"text":"d","client_timestamp":\#(Self.future)}"#)
            #expect(later.json["client_timestamp"].int ?? .max <= later.json["timestamp"].int ?? 0, "\(later.text)")
            for time in ["-1", "1.5", #""x""#, "true", "[]", "1e400"] {
                let body = #"{"text":"x","client_timestamp":\#(time)}"#
                let answer = try await service.ask(.post, path, as: "anna", body)
                let isJSON = time != "1e400"
                #expect(answer.status == (isJSON ? 422 : 400), "\(time): \(answer.text)")
            }
            #expect(try await service.client.get(path).json["comments"].array.count == 2)
        }
    }
}
