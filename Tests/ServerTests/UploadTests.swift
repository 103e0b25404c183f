import Client
import HTTPTypes
import Keeping
import Service
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Uploads of photos become posts", .timeLimit(.minutes(20)))
struct UploadTests {
    @Test(
        "P4, P6, P8: A photo as the raw body, under any name, becomes a post with its renditions",
        arguments: [
            ("orientation-6-mm.jpg", "image/jpeg", "jpg"), ("rgba-8.png", "image/jpeg", "png"),
            ("plain.gif", "application/octet-stream", "gif"), ("orientation-6-mm.jpg", nil, "jpg"),
            ("orientation-6-mm.jpg", "application/x-www-form-urlencoded", "jpg"),
        ] as [(String, String?, String)])
    func raw(file: String, contentType: String?, suffix: String) async throws {
        try await withService { service in
            var headers = HTTPFields()
            headers[.contentType] = contentType
            let bytes = try fixture(file)
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria&text=First%20light%20%23harbour", headers: headers, body: .bytes(bytes))
            #expect(answer.status == 201, "\(answer.text)")
            let (id, post) = (answer.json["post_id"].string ?? "", answer.json["post"])
            #expect(answer.headers[.location] == "/v1/posts/\(id)")
            #expect(post["kind"].string == "photo_text")
            #expect(post["text"].string == "First light #harbour")
            #expect(post["author"]["uid"].string == "maria")
            #expect(post["timestamp"].int != nil)
            #expect(post["thumb_url"].string?.hasPrefix("/media/maria/\(id)/thumb-") == true)
            #expect(post["photos"][0]["renditions"].keys == ["full", "medium", "thumb", "small", "tile"])
            #expect(service.scratch.exists("Storage/blobs/maria/\(id)/original.\(suffix)"))
            let thumb = try await service.client.get(post["thumb_url"].string ?? "/")
            #expect(thumb.status == 200)
            #expect(thumb.body.count == post["photos"][0]["renditions"]["thumb"]["bytes"].int)
        }
    }

    @Test("P8: A photo that is stored on its side is described upright in the post")
    func orientation() async throws {
        try await withService { service in
            let post = try await service.client.post(try fixture("orientation-6-mm.jpg"))["post"]
            #expect(post["photos"][0]["width"].int == 96)
            #expect(post["photos"][0]["height"].int == 64)
        }
    }

    @Test(
        "C2: A form with several photos, its fields before, between or after them, is read wherever it is cut",
        arguments: [1 << 20, 1000, 7])
    func multipart(chunk: Int) async throws {
        let (jpeg, gif) = (try fixture("size-97x61.jpg"), try fixture("plain.gif"))
        try await withService { service in
            let form = Form().field("user", "jan").photo(jpeg).field("text", "two of them").photo(
                gif, named: "../b.gif")
            let answer = try await service.client.ask(
                .post, "/v1/uploads", headers: Form.contentType,
                body: .stream(byteCount: nil, chunks(form.closed, of: chunk)))
            #expect(answer.status == 201, "\(answer.text)")
            let post = answer.json["post"]
            #expect(post["photos"].array.map { $0["width"].int } == [97, 96])
            #expect(post["text"].string == "two of them")
            #expect(post["author"]["uid"].string == "jan")
            let upload = try await service.client.get("/v1/uploads/\(answer.json["post_id"].string ?? "")").json
            #expect(upload["photos"].array.map { $0["original_name"].string } == ["a.jpg", "../b.gif"])
        }
    }

    @Test("The user may be in the query, and the text after the photos")
    func userInTheQuery() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let form = Form().photo(jpeg).field("text", "after")
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=jan", headers: Form.contentType, body: .bytes(form.closed))
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["post"]["text"].string == "after")
        }
    }

    @Test("C2: A text alone is a post", arguments: ["query", "form"])
    func textOnly(way: String) async throws {
        try await withService { service in
            let answer =
                if way == "query" {
                    try await service.client.ask(.post, "/v1/uploads?user=maria&text=only+words")
                } else {
                    try await service.client.ask(
                        .post, "/v1/uploads", headers: Form.contentType,
                        body: .bytes(Form().field("text", "only words").field("user", "maria").closed))
                }
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["post"]["kind"].string == "text")
            #expect(answer.json["post"]["text"].string == "only words")
        }
    }

    @Test("K2, P23: The same idempotency key is the same post, and it is echoed")
    func idempotency() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let headers: HTTPFields = [.named("idempotency-key"): "7F-Temp.$#/[]"]
            let first = try await service.client.ask(
                .post, "/v1/uploads?user=maria&text=one", headers: headers, body: .bytes(jpeg))
            let second = try await service.client.ask(
                .post, "/v1/uploads?user=maria&text=one", headers: headers, body: .bytes(jpeg))
            let other = try await service.client.ask(
                .post, "/v1/uploads?user=jan&text=one", headers: headers, body: .bytes(jpeg))
            #expect(first.json["post"]["client_ref"].string == "7F-Temp.$#/[]")
            #expect(second.status == 201)
            #expect(second.json == first.json)
            #expect(other.json["post_id"] != first.json["post_id"], "keys belong to a user")
            #expect(try await service.client.get("/v1/people/maria/posts").json["posts"].array.count == 1)
        }
    }

    @Test(
        "A draft's key with another request is refused, and never hides a photo behind an old answer",
        .timeLimit(.minutes(20)))
    func idempotencyConflicts() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let headers: HTTPFields = [.named("idempotency-key"): "one"]
            let draft = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true", headers: headers)
            #expect(draft.status == 201)
            for (path, body) in [
                ("/v1/uploads?user=maria", RequestBody.bytes(jpeg)), ("/v1/uploads?user=maria&text=hi", .none),
                ("/v1/uploads?user=maria&draft=true", .bytes(jpeg)),
            ] {
                let answer = try await service.client.ask(.post, path, headers: headers, body: body)
                #expect(answer.status == 422, "\(path): \(answer.text)")
                #expect(answer.json["code"].string == "key_reused")
            }
            let again = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true", headers: headers)
            #expect(again.json["upload_id"] == draft.json["upload_id"])
        }
    }

    @Test("P5, P23: Twenty at once with one key are one post")
    func idempotencyConcurrently() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await service.client.ask(
                            .post, "/v1/uploads?user=maria&text=one",
                            headers: [.named("idempotency-key"): "once"], body: .bytes(jpeg))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.status)) == [201])
            #expect(Set(answers.map(\.json)).count == 1)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.count == 1)
        }
    }

    @Test("A failed upload's key answers with the same failure")
    func idempotentFailure() async throws {
        let cut = try fixture("truncated-baseline-420.jpg")
        try await withService { service in
            for _ in 0..<2 {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads?user=maria", headers: [.named("idempotency-key"): "k"], body: .bytes(cut))
                #expect(answer.status == 422)
                #expect(answer.json["code"].string == "truncated")
            }
            try await eventually { try await service.pipeline.report.status().failed >= 1 }
            #expect(try await service.pipeline.report.status().failed == 1)
        }
    }

    @Test("B13: With Prefer: respond-async the answer arrives first and the post later")
    func asynchronous() async throws {
        let jpeg = try fixture("size-97x61.jpg")
        try await withService { service in
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: [.named("prefer"): "wait=10, respond-async"],
                body: .bytes(jpeg))
            #expect(answer.status == 202)
            #expect(answer.headers[.named("preference-applied")] == "respond-async")
            let id = answer.json["upload_id"].string ?? ""
            #expect(answer.headers[.location] == "/v1/uploads/\(id)")
            let subscription = try await service.tree.subscribe(to: "posts")
            if subscription.value == nil {
                for try await _ in subscription { break }
            }
            let upload = try await service.client.get("/v1/uploads/\(id)").json
            #expect(upload["state"].string == "published")
            #expect(upload["post"].string == "/v1/posts/\(id)")
            #expect(upload["door"].string == "socket")
            #expect(try await service.client.get("/v1/posts/\(id)").status == 200)
        }
    }

    @Test("F20, K8: An upload that can never be a post reports it, in the answer and afterwards")
    func failure() async throws {
        let cut = try fixture("truncated-baseline-420.jpg")
        try await withService { service in
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria", headers: [.named("prefer"): "respond-async"], body: .bytes(cut))
            let id = answer.json["upload_id"].string ?? ""
            let refused = try await service.client.ask(.post, "/v1/uploads?user=maria", body: .bytes(cut))
            #expect(refused.status == 422)
            #expect(refused.headers[.contentType] == "application/problem+json")
            _ = try await service.pipeline.store.end(of: try #require(PushID(id)))
            let upload = try await service.client.get("/v1/uploads/\(id)").json
            #expect(upload["state"].string == "failed")
            #expect(upload["error"]["code"].string == "truncated")
            #expect(upload["error"]["message"].string?.hasPrefix("photo: the JPEG data ends too early") == true)
            #expect(upload["error"]["hint"].string?.isEmpty == false)
            #expect(try await service.client.get("/v1/posts").json["posts"].array.isEmpty)
        }
    }

    @Test("Two hundred at once become two hundred posts, in fewer transactions than updates")
    func manyAtOnce() async throws {
        try await withService { service in
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let id = try await service.client.post("number\(number)", by: "user\(number % 10)")
                        #expect(id != nil)
                    }
                }
            }
            let posts = try await service.client.get("/v1/posts?limit=200").json
            #expect(posts["posts"].array.count == 200)
            #expect(posts["has_more"].bool == false)
            let tree = try await service.client.get("/v1/status").json["tree"]
            #expect(tree["transactions"].int ?? 0 < tree["updates"].int ?? 0)
            #expect(tree["largest_group"].int ?? 0 > 1)
            #expect(tree["log_bytes"].int ?? 0 > 0)
        }
    }
}
