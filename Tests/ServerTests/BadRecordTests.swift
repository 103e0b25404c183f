import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Tree

@Suite("Malformed records of one client do not disturb the others", .timeLimit(.minutes(20)))
struct BadRecordTests {
    /// Values at `posts/{id}` that are not posts, each with a word of its description.
    private static let records: [(json: String, word: String)] = [
        (#""junk""#, "no object"), ("17", "no object"), ("[1,2]", "timestamp"),
        (#"{"text":"no timestamp"}"#, "timestamp"),
        (#"{"timestamp":"junk","author":{"uid":"maria"}}"#, "timestamp"),
        (#"{"timestamp":1e300,"author":{"uid":"maria"}}"#, "timestamp"),
        (#"{"timestamp":1}"#, "author"), (#"{"timestamp":1,"author":"a"}"#, "author"),
        (#"{"timestamp":1,"author":{"uid":7}}"#, "author"),
        (#"{"timestamp":1,"author":{"uid":"maria","full_name":{"x":1}}}"#, "full_name"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"text":{"x":1}}"#, "text"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":"x"}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":{"first":{"width":1,"height":1}}}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":{"1":{"width":1,"height":1}}}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":[{"width":0,"height":1}]}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":[{"width":9223372036854775807,"height":1}]}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":[{"width":1,"height":1,"renditions":{"t":1}}]}"#, "photos"),
        (#"{"timestamp":1,"author":{"uid":"maria"},"photos":[{"width":1,"height":1,"alt":{"x":1}}]}"#, "photos"),
    ]

    @Test("Lists skip records that are not posts, and name them; the posts beside them are complete")
    func lists() async throws {
        try await withService { service in
            var good = [try #require(try await service.client.post("first"))]
            for (number, record) in Self.records.enumerated() {
                // Before, between and after the ids of posts.
                for id in ["-0000000000000000\(100 + number)", "zzz\(number)", "\(number)"] {
                    #expect(try await write(record.json, to: "/posts/\(id).json", service) == 200)
                }
            }
            good.append(try #require(try await service.client.post("last")))
            // A person's list contains the records that name the person as their author.
            let ofMaria = Self.records.map { $0.json.contains(#""uid":"maria""#) }
            for path in ["/v1/posts", "/v1/people/maria/posts"] {
                let isListed = path == "/v1/posts" ? ofMaria.map { _ in true } : ofMaria
                for limit in [1, 2, 200] {
                    let (seen, skipped) = try await walk(path, limit: limit, service)
                    #expect(seen == good.reversed(), "\(path), \(limit) a page")
                    #expect(skipped.count == 3 * isListed.count { $0 })
                    for (number, record) in Self.records.enumerated() where isListed[number] {
                        #expect(skipped["posts/zzz\(number)"]?.contains(record.word) == true, "\(record.json)")
                    }
                }
            }
            let single = try await service.client.get("/v1/posts/-0000000000000000103")
            #expect(single.status == 404)
        }
    }

    @Test("Pages are full and complete, however many malformed records there are")
    func flood() async throws {
        try await withService { service in
            let good = try #require(try await service.client.post("good"))
            let junk = (0..<450).map { "\"zz\($0)\":1" }.joined(separator: ",")
            #expect(try await write("{\(junk)}", to: "/posts.json", method: "PATCH", service) == 200)
            let last = try #require(try await service.client.post("last"))
            let (seen, skipped) = try await walk("/v1/posts", limit: 2, service)
            #expect(seen == [last, good] && skipped.count == 450)
            let page = try await service.client.get("/v1/posts?limit=2").json
            #expect(page["posts"].array.count == 2 && page["has_more"].bool == false)
        }
    }

    @Test(
        "A person without a readable name appears by id, and keeps the posts", arguments: ["5", #"{"a":1}"#, "null"])
    func people(name: String) async throws {
        try await withService { service in
            let id = try await service.client.post("hello")
            #expect(try await write(name, to: "/people/maria/full_name.json", service) == 200)
            #expect(try await service.client.get("/v1/people/maria").json["full_name"].string == "maria")
            let page = try await service.client.get("/v1/people/maria/posts").json
            #expect(page["posts"].array.map { $0["post_id"].string } == [id])
            #expect(try await service.client.post("again") != nil)
        }
    }

    @Test("Events continue after a record that is not a post, and report that there was one")
    func events() async throws {
        try await withService { service in
            try await service.client.send(.get, "/v1/posts/events") { _, body in
                var stream = ""
                var id: String?
                for try await chunk in body {
                    stream += String(buffer: chunk)
                    if id == nil {
                        for (number, record) in Self.records.enumerated() {
                            _ = try await write(record.json, to: "/posts/zzz\(number).json", service)
                        }
                        id = try await service.client.post("good")
                    }
                    if stream.contains("event: put"), stream.hasSuffix("\n\n") { break }
                }
                #expect(stream.components(separatedBy: "event: put").count == 2)
                #expect(stream.contains("\"path\":\"/\(id ?? "?")\""))
                #expect(stream.components(separatedBy: " is no post: ").count == Self.records.count + 1)
            }
        }
    }

    private func write(
        _ json: String, to path: String, method: String = "PUT", _ service: Service
    ) async throws -> Int {
        try await service.client.ask(
            method == "PUT" ? .put : .patch, path, body: .bytes(Array(json.utf8))
        ).status
    }

    /// Walks through all pages; returns the ids in their order, and the skipped records with their reasons.
    private func walk(
        _ path: String, limit: Int, _ service: Service
    ) async throws -> (ids: [String], skipped: [String: String]) {
        var (ids, skipped, next): ([String], [String: String], String?) = ([], [:], nil)
        repeat {
            let cursor = next.map { "&before=\($0)" } ?? ""
            let answer = try await service.client.get("\(path)?limit=\(limit)\(cursor)")
            #expect(answer.status == 200)
            #expect(answer.json["posts"].array.count <= limit)
            ids += answer.json["posts"].array.compactMap { $0["post_id"].string }
            for record in answer.json["skipped"].array {
                skipped[record["path"].string ?? ""] = record["reason"].string
            }
            next = answer.json["next"].string
        } while next != nil
        return (ids, skipped)
    }
}
