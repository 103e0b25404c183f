import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Tree

@Suite("Published posts, newest first", .timeLimit(.minutes(20)))
struct PostTests {
    @Test("P10, P11, B25, FriendlyPix 3: Post, author, the author's posts and feed are one entry of the change log")
    func oneCommit() async throws {
        try await withService { service in
            let id = try await service.client.post("hello%20%23sun") ?? ""
            let changes = try await service.tree.changes(since: .start, limit: 100)
            let commits = changes.filter { change in
                change.writes.contains { $0.path.description == "/posts/\(id)" }
            }
            let paths = Set(commits.flatMap { $0.writes.map(\.path.description) })
            #expect(commits.count == 1)
            #expect(
                paths.isSuperset(of: [
                    "/posts/\(id)", "/people/maria/posts/\(id)", "/feed/maria/\(id)", "/hashtags/sun/\(id)",
                    "/people/maria/full_name", "/uploads/\(id)",
                ]), "\(paths)")
        }
    }

    @Test("A post is found by its id, and a person by theirs")
    func single() async throws {
        try await withService { service in
            let id = try await service.client.post("hello") ?? ""
            let post = try await service.client.get("/v1/posts/\(id)").json
            #expect(post["post_id"].string == id)
            #expect(post["text"].string == "hello")
            let person = try await service.client.get("/v1/people/maria").json
            #expect(person["uid"].string == "maria" && person["full_name"].string == "maria")
            #expect(person["counts"]["posts"].int == 1)
        }
    }

    @Test("B28, C7: Pages are in the order of time and do not shift while posts arrive", arguments: ["maria", nil])
    func paging(user: String?) async throws {
        try await withService { service in
            var ids: [String] = []
            for number in 0..<7 { ids.append(try await service.client.post("p\(number)") ?? "") }
            _ = try await service.client.post("of-another", by: "jan")
            let path = user.map { "/v1/people/\($0)/posts" } ?? "/v1/posts"
            if user == nil { ids.append(try await service.client.post("last") ?? "") }
            let expected = Array(ids.reversed())
            var (seen, next): ([String], String?) = ([], nil)
            repeat {
                let query = "?limit=3" + (next.map { "&before=\($0)" } ?? "")
                let page = try await service.client.get(path + query).json
                seen += page["posts"].array.compactMap { $0["post_id"].string }
                next = page["next"].string
                #expect(page["has_more"].bool == (next != nil))
                _ = try await service.client.post("meanwhile")
            } while next != nil
            let relevant = user == nil ? seen.filter { ids.contains($0) } : seen
            #expect(relevant == expected)
            #expect(Set(seen).count == seen.count)
        }
    }

    @Test("A draft that is sent late is listed before posts published meanwhile; a page begins after a post, too")
    func lateDraft() async throws {
        try await withService { service in
            let draft = try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true").json["upload_id"]
                .string
            let first = try await service.client.post("first")
            let second = try await service.client.post("second")
            let sent = try await service.client.ask(.post, "/v1/uploads/\(draft ?? "")/publish?text=late")
            #expect(sent.status == 201 && sent.json["post"]["published"].int != nil, "\(sent.text)")
            for path in ["/v1/posts", "/v1/people/maria/posts"] {
                let page = try await service.client.get(path).json["posts"].array
                #expect(page.map { $0["post_id"].string } == [draft, second, first])
                let behind = try await service.client.get("\(path)?before=\(second ?? "")").json["posts"].array
                #expect(behind.map { $0["post_id"].string } == [first])
            }
        }
    }

    @Test("A page that ends with the last post marks the end of the list")
    func exactPage() async throws {
        try await withService { service in
            for number in 0..<3 { _ = try await service.client.post("p\(number)") }
            let page = try await service.client.get("/v1/posts?limit=3").json
            #expect(page["posts"].array.count == 3)
            #expect(page["has_more"].bool == false)
            #expect(page["next"] == .null)
        }
    }

    @Test("New posts arrive by themselves, each as one event")
    func events() async throws {
        try await withService { service in
            _ = try await service.client.post("before")
            try await service.client.send(.get, "/v1/posts/events") { response, body in
                #expect(response.status == .ok)
                #expect(response.headerFields[.contentType] == "text/event-stream; charset=utf-8")
                var stream = ""
                var ids: [String] = []
                for try await chunk in body {
                    stream += String(buffer: chunk)
                    if ids.isEmpty {
                        for text in ["one", "two%0Alines"] { ids.append(try await service.client.post(text) ?? "") }
                    }
                    if stream.components(separatedBy: "event: put").count == 3, stream.hasSuffix("\n\n") { break }
                }
                let events = stream.components(separatedBy: "\n\n").filter { $0.hasPrefix("event: put") }
                #expect(events.count == 2)
                for (event, id) in zip(events, ids) {
                    #expect(event.contains("\ndata: {\"data\":{"))
                    #expect(event.contains("\"path\":\"/\(id)\""))
                    #expect(event.contains("\nid: "))
                }
                #expect(events.last?.contains("two\\nlines") == true, "a message is one line")
            }
        }
    }

    @Test("The stream ends when the service stops")
    func eventsEnd() async throws {
        try await withService { service in
            try await service.client.send(.get, "/v1/posts/events") { _, body in
                var isFirst = true
                for try await _ in body where isFirst {
                    isFirst = false
                    await service.shutDown()
                }
                #expect(!isFirst)
            }
        }
    }
}
