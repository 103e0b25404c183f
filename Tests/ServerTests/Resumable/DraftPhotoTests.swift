import Client
import Cryptography
import Files
import HTTPTypes
import TestSupport
import Testing

@Suite("Photos of a draft that arrive in several requests", .timeLimit(.minutes(20)))
struct DraftPhotoTests {
    private func reserve(_ service: Service) async throws -> String {
        try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true").json["upload_id"].string ?? ""
    }

    private func begin(
        _ draft: String, _ service: Service, _ bytes: [UInt8], _ metadata: [String: String] = [:],
        key: String? = nil
    ) async throws -> Answer {
        var tus = TusClient(client: service.client)
        tus.path = "/v1/uploads/\(draft)/photos"
        var headers = ["upload-length": "\(bytes.count)", "upload-metadata": TusClient.metadata(metadata)]
        headers["idempotency-key"] = key
        return try await tus.create(headers)
    }

    @Test("They belong to the draft when their last bytes have arrived, in the order of their creation")
    func order() async throws {
        let (first, second) = (try fixture("baseline-420.jpg"), try fixture("progressive-420.jpg"))
        try await withService { service in
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client)
            let begun = try await begin(draft, service, first, ["filename": "Lake.jpg", "alt": "A lake"])
            #expect(begun.status == 201, "\(begun.text)")
            let path = try #require(begun.headers[.location])
            let other = try #require(try await begin(draft, service, second).headers[.location])
            #expect(try await tus.patch(path, from: 0, Array(first[..<1000])).status == 204)
            let state = try await service.client.get(path).json
            #expect(state["state"].string == "receiving" && state["purpose"].string == "draft_photo")
            #expect(state["draft"].string == draft && state["number"].int == 0 && state["received_bytes"].int == 1000)
            #expect(try await tus.patch(other, from: 0, second).status == 204)
            #expect(try await service.client.get("/v1/uploads/\(draft)").json["photos"].array.count == 1)
            let last = try await tus.patch(path, from: 1000, Array(first[1000...]))
            #expect(last.status == 204, "\(last.text)")
            #expect(last.headers[.contentLocation] == "/v1/uploads/\(draft)")
            // A repeated request gets the same result.
            let head = try await tus.send(.head, path)
            #expect(head.headers[.named("upload-offset")] == "\(first.count)")
            #expect(try await tus.patch(path, from: first.count, []).status == 204)
            #expect(try await tus.send(.delete, path).status == 409)
            let photos = try await service.client.get("/v1/uploads/\(draft)").json["photos"].array
            #expect(photos.map { $0["number"].int } == [0, 1])
            #expect(photos[0]["sha256"].string == sha256(of: first) && photos[1]["sha256"].string == sha256(of: second))
            #expect(photos[0]["original_name"].string == "Lake.jpg" && photos[0]["alt"].string == "A lake")
            let rendition = photos[1]["renditions"]["small"]["url"].string ?? "/"
            #expect(try await service.client.get(rendition).status == 200)
            let post = try await service.client.ask(.post, "/v1/uploads/\(draft)/publish?text=x").json["post"]
            #expect(post["photos"].array.map { $0["alt"].string } == ["A lake", nil])
            try await service.untilNothingIsUnfinished()
        }
    }

    @Test("A file that is not a photo is refused with its last byte, and the draft stays unchanged")
    func refusals() async throws {
        let (cut, bytes) = (try fixture("truncated-baseline-420.jpg"), try fixture("size-97x61.jpg"))
        try await withService { service in
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client)
            for (bytes, status) in [(cut, 422), (Array("no photo!".utf8), 415)] {
                let path = try #require(try await begin(draft, service, bytes).headers[.location])
                #expect(try await tus.patch(path, from: 0, bytes).status == status)
                #expect(try await tus.send(.head, path).status == status)
                #expect(try await service.client.get(path).json["state"].string == "failed")
            }
            let path = try #require(try await begin(draft, service, bytes).headers[.location])
            let state = try await service.client.get("/v1/uploads/\(draft)").json
            #expect(state["state"].string == "draft" && state["photos"] == .null)
            _ = try await service.client.ask(.post, "/v1/uploads/\(draft)/publish?text=without")
            let late = try await tus.patch(path, from: 0, bytes)
            #expect(late.status == 409 && late.json["code"].string == "wrong_state", "\(late.text)")
            #expect(try await begin(draft, service, bytes).status == 409)
            #expect(try await begin("-P6xJd7DkF0an8Cy0qLh", service, bytes).status == 404)
            #expect(try await tus.create(["upload-length": "1"]).status == 201)
            let whole = TusClient(client: service.client, path: "/v1/uploads?user=maria&draft=true")
            #expect(try await whole.create(["upload-length": "1"]).status == 400)
        }
    }

    @Test("A photo that is created again with its key is the same, also when it belongs to the draft")
    func keys() async throws {
        let bytes = try fixture("size-97x61.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let first = try await begin(draft, service, bytes, key: "k")
            let path = try #require(first.headers[.location])
            #expect(try await begin(draft, service, bytes, key: "k").headers[.location] == path)
            _ = try await TusClient(client: service.client).patch(path, from: 0, bytes)
            let again = try await begin(draft, service, bytes, key: "k")
            #expect(again.headers[.location] == path)
            #expect(again.headers[.named("upload-offset")] == "\(bytes.count)")
            let other = try await reserve(service)
            #expect(try await begin(other, service, bytes, key: "k").status == 422)
            #expect(try await service.client.get("/v1/uploads/\(draft)").json["photos"].array.count == 1)
        }
    }

    @Test("A post has at most 20 photos, and a draft is its sender's")
    func limits() async throws {
        let bytes = try fixture("size-1x1.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client)
            var paths: [String] = []
            for _ in 0..<21 { paths.append(try await begin(draft, service, bytes).headers[.location] ?? "") }
            for path in paths[..<20] { #expect(try await tus.patch(path, from: 0, bytes).status == 204) }
            let beyond = try await tus.patch(paths[20], from: 0, bytes)
            #expect(beyond.status == 422 && beyond.json["code"].string == "too_many_photos")
            #expect(try await begin(draft, service, bytes).status == 422)
            var noah = TusClient(client: service.tcpClient)
            noah.path = "/v1/uploads/\(draft)/photos"
            var headers = ["upload-length": "10"]
            for field in try service.headers(of: "noah") { headers[field.name.canonicalName] = field.value }
            #expect(try await noah.create(headers).status == 404)
        }
    }

    @Test("The publication of a draft may select its photos and their order")
    func arrangement() async throws {
        let bytes = try fixture("size-97x61.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            for number in 0..<3 {
                _ = try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos?alt=\(number)", body: .bytes(bytes))
            }
            func publish(_ json: String) async throws -> Answer {
                try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/publish", headers: [.contentType: "application/json"],
                    body: .bytes(Array(json.utf8)))
            }
            for wrong in [#"{"photos":[0,0]}"#, #"{"photos":[3]}"#, #"{"photos":["x"]}"#, #"{"photos":[0.5]}"#] {
                #expect(try await publish(wrong).status == 400, "\(wrong)")
            }
            let json = #"{"photos":[2,0],"alt":["two"]}"#
            let published = try await publish(json)
            #expect(published.status == 201, "\(published.text)")
            let photos = published.json["post"]["photos"].array
            #expect(photos.map { $0["alt"].string } == ["two", "0"])
            for photo in photos {
                let url = photo["renditions"]["small"]["url"].string ?? "/"
                #expect(try await service.client.get(url).status == 200)
            }
            #expect(try await publish(json).json == published.json)
            #expect(try await publish(#"{"photos":[0,2]}"#).status == 409)
            // A photo that is rendered again keeps its position.
            _ = try await service.client.job()
            let post = try await service.client.get("/v1/posts/\(draft)").json
            #expect(post["photos"].array.map { $0["alt"].string } == ["two", "0"])
        }
    }
}
