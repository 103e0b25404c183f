import Client
import Foundation
import HTTPTypes
import Imaging
import TestSupport
import Testing
import Tree

@Suite("The place is removed from stored photos, on request of their author or an admin", .timeLimit(.minutes(20)))
struct ScrubTests {
    private static let rules = #"{"rules": {"posts": {".read": true}}}"#

    @Test("An author scrubs a post: each photo has an outcome, a repetition changes nothing, and others may not")
    func post() async throws {
        let bytes = try fixture("places/gps-ii.jpg")
        try await withService { service in
            try await service.tree.setRules(Self.rules)
            let post = try await service.client.post(bytes)
            let id = try #require(post["post_id"].string)
            let (maria, noah) = (try service.headers(of: "maria"), try service.headers(of: "noah"))
            let tcp = service.tcpClient
            let path = "/v1/posts/\(id)/scrub"
            let posted = try await tcp.get("/v1/posts/\(id)")
            #expect(try await tcp.ask(.post, path).status == 401)
            let refused = try await tcp.ask(.post, path, headers: noah)
            #expect(refused.status == 403 && refused.json["code"].string == "not_allowed")
            #expect(try await tcp.ask(.post, "/v1/posts/-P6xGdOK6scoZJdt2p7F/scrub", headers: maria).status == 404)

            let old = "maria/\(id)/original.jpg"
            let rows: [(query: String, outcome: String)] = [
                ("?check=true", "found"), ("", "scrubbed"), ("", "clean"), ("?check=true", "clean"),
            ]
            for (query, outcome) in rows {
                let answer = try await tcp.ask(.post, path + query, headers: maria)
                #expect(answer.status == 200, "\(answer.text)")
                let photo = answer.json["photos"][0]
                #expect(photo["outcome"].string == outcome)
                #expect(photo["removed"].array.map(\.string) == (outcome == "clean" ? [] : ["gps"]))
                if outcome != "clean" { #expect(photo["path"].string == old) }
                #expect((photo["file"].string != nil) == (outcome == "scrubbed"))
            }
            let list = "/v1/posts/\(id)/originals?location=keep"
            let urls = try await tcp.get(list, headers: maria).json["urls"].array.compactMap(\.string)
            #expect(urls.count == 1 && !urls[0].contains("/original.jpg"))
            let stored = try await tcp.get(urls[0])
            #expect(try stored.status == 200 && stored.body == LocationScrubber.scrub(bytes).bytes)
            let after = try await tcp.get("/v1/posts/\(id)")
            #expect(after.json == posted.json)
            let url = try #require(after.json["full_url"].string)
            #expect(try await tcp.get(url).status == 200)
            let admin = try await service.client.ask(.post, path)
            #expect(admin.status == 200)
        }
    }

    @Test("All posts, or one person's, are scrubbed by a job for admins")
    func job() async throws {
        let bytes = try fixture("places/gps.png")
        try await withService { service in
            for user in ["maria", "maria", "jan"] { _ = try await service.client.post(bytes, by: user) }
            _ = try await service.client.post(try fixture("places/kept-xmp.png"))
            let refused = try await service.tcpClient.ask(.post, "/v1/scrub", headers: try service.headers(of: "jan"))
            #expect(refused.status == 403 && refused.json["code"].string == "admin_only")
            let rows = [
                ("?check=true", 4, 3), ("?user=jan", 1, 1), ("", 4, 2), ("", 4, 0), ("?check=true&user=maria", 3, 0),
            ]
            for (query, total, switched) in rows {
                let answer = try await service.client.ask(.post, "/v1/scrub\(query)")
                #expect(answer.headers[.contentType] == "application/x-ndjson")
                let last = try #require(answer.text.split(separator: "\n").last)
                let step = try JSONDecoder().decode(JSON.self, from: Data(last.utf8))
                #expect(step["finished"].bool == true && step["failed"].int == 0)
                #expect(step["total"].int == total && step["switched"].int == switched, "\(query): \(last)")
            }
            #expect(try await service.client.ask(.post, "/v1/scrub?user=a%20b").json["code"].string == "bad_user")
        }
    }

    @Test("A photo that cannot be parsed is refused, and stays as it is")
    func refused() async throws {
        try await withService { service in
            let post = try await service.client.post(try fixture("places/gps-ii.jpg"))
            let id = try #require(post["post_id"].string)
            let file = "Storage/blobs/maria/\(id)/original.jpg"
            try service.scratch.write("no photo", to: file)
            let answer = try await service.client.ask(.post, "/v1/posts/\(id)/scrub")
            #expect(answer.status == 422 && answer.json["code"].string == "cannot_scrub", "\(answer.text)")
            #expect(service.scratch.exists(file))
        }
    }
}
