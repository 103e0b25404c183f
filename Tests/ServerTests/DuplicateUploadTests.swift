import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Photos that a user has posted before, over HTTP", .timeLimit(.minutes(20)))
struct DuplicateUploadTests {
    @Test("duplicates= decides what happens to them; without it they are posted again")
    func policies() async throws {
        try await withService { service in
            let photo = try fixture("photo.jpg")
            let first = try await service.client.post(photo)["post_id"].string
            let cases: [(query: String, status: Int, code: String?)] = [
                ("&duplicates=link", 200, nil), ("&duplicates=link&text=other", 200, nil),
                ("&duplicates=reject", 409, "duplicate"), ("&duplicates=new-post", 201, nil), ("", 201, nil),
                ("&duplicates=maybe", 400, "bad_request"),
            ]
            for item in cases {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads?user=maria\(item.query)", body: .bytes(photo))
                #expect(answer.status == item.status, "\(item.query)")
                #expect(answer.json["code"].string == item.code)
                if item.status == 200 {
                    #expect(answer.json["post_id"].string == first && answer.json["post"]["timestamp"] != .null)
                    #expect(answer.headers[.location] == "/v1/posts/\(first ?? "?")")
                }
            }
            let other = try await service.client.ask(
                .post, "/v1/uploads?user=jan&duplicates=link", body: .bytes(photo))
            #expect(other.status == 201, "another user's")
            try await service.untilNothingIsUnfinished()
            #expect(try await service.client.get("/v1/people/maria/posts").json["posts"].array.count == 3)
        }
    }

    @Test("Twenty at once with duplicates=link become one post")
    func atOnce() async throws {
        try await withService { service in
            let photo = try fixture("photo.jpg")
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let answer = try await service.client.ask(
                            .post, "/v1/uploads?user=maria&duplicates=link", body: .bytes(photo))
                        #expect([200, 201].contains(answer.status))
                        return answer.json["post_id"].string
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            try await service.untilNothingIsUnfinished()
            let page = try await service.client.get("/v1/posts").json
            #expect(page["posts"].array.map { $0["post_id"].string } == Array(ids))
            let folders = try FileManager.default.contentsOfDirectory(
                atPath: service.scratch.path + "/Storage/blobs/maria")
            #expect(folders == ids.compactMap { $0 }, "the others' files are gone")
        }
    }

    @Test("A post is found by the SHA-256 of its photos, while it exists")
    func lookup() async throws {
        try await withService { service in
            let photo = try fixture("photo.jpg")
            let post = try await service.client.post(photo)
            let id = try #require(post["post_id"].string)
            let upload = try await service.client.get("/v1/uploads/\(id)").json
            let hash = try #require(upload["photos"].array.first?["sha256"].string)
            let path = "/v1/people/maria/posts?sha256="
            func found(_ hashes: String) async throws -> [String?] {
                try await service.client.get(path + hashes).json["posts"].array.map { $0["post_id"].string }
            }
            #expect(try await found(hash) == [id])
            #expect(try await found("\(hash)%20\(hash)") == [], "another post would have it twice")
            #expect(try await found(String(repeating: "0", count: 64)) == [])
            #expect(try await service.client.get("/v1/people/jan/posts?sha256=\(hash)").status == 404)
            for bad in ["", "xyz", hash.uppercased(), hash + "0", hash + "%20x"] {
                #expect(try await service.client.get(path + bad).status == 400, "\(bad)")
            }
            for bad in ["limit=0", "limit=x", "before=x"] {
                #expect(try await service.client.get("\(path)\(hash)&\(bad)").status == 400, "\(bad)")
            }
            #expect(try await found("\(hash)&limit=1") == [id])
            _ = try await service.client.ask(.delete, "/posts/\(id).json")
            #expect(try await found(hash) == [])
        }
    }
}
