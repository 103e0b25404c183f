import Client
import Foundation
import HTTPTypes
import Model
import NIOCore
import TestSupport
import Testing
import Tree

@Suite("Events of posts: nothing is missed, and deletions are sent", .timeLimit(.minutes(20)))
struct PostEventTests {
    private func events(
        _ service: Service, since: String? = nil, lastEventID: String? = nil,
        through end: String = ": new posts follow",
        act: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> [StreamedEvent] {
        try await service.client.events(
            "/v1/posts/events", since: since, lastEventID: lastEventID, from: ": new posts follow", through: end,
            act: act)
    }

    private func write(
        _ json: String, to path: String, _ method: HTTPRequest.Method = .put, at service: Service
    ) async throws {
        let answer = try await service.client.ask(method, path, body: .bytes(Array(json.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static func post(by uid: String) -> String { #"{"timestamp":1,"author":{"uid":"\#(uid)"}}"# }

    @Test("C10: A deletion is sent, through /v1 and through the database, of the post and of all that is in it")
    func deletions() async throws {
        try await withService { service in
            var ids: [String] = []
            for text in ["a", "b", "c", "last"] { ids.append(try await service.client.post(text) ?? "") }
            let told = ids
            let events = try await events(service, through: "\"path\":\"/\(ids[3])\"") {
                _ = try await service.client.ask(.delete, "/v1/posts/\(told[0])")
                _ = try await service.client.ask(.delete, "/posts/\(told[1]).json")
                let fields = try await service.client.get("/posts/\(told[2]).json").json.keys
                let update = fields.map { "\"\($0)\":null" }.joined(separator: ",")
                try await write("{\"text\":null}", to: "/posts/\(told[2]).json", .patch, at: service)
                try await write("{\(update)}", to: "/posts/\(told[2]).json", .patch, at: service)
                _ = try await service.client.ask(.delete, "/v1/posts/\(told[3])")
            }
            let deletions = events.filter(\.isDeletion)
            var paths: [String?] = []
            for path in deletions.map(\.path) where paths.last != path { paths.append(path) }
            #expect(paths == ids.map { "/\($0)" })
            #expect(deletions.allSatisfy { $0.id != nil } && events.allSatisfy { $0.name != "resnapshot" })
        }
    }

    @Test(
        "C4: A reader that returns gets the missed events, in order, and then the new ones",
        arguments: [true, false])
    func resumes(byHeader: Bool) async throws {
        try await withService { service in
            let first = try await service.client.post("first") ?? ""
            let list = try await service.client.get("/v1/posts")
            let token = try #require(list.headers[.named("tintype-token")])
            let second = try await service.client.post("second") ?? ""
            _ = try await service.client.ask(.delete, "/v1/posts/\(first)")
            _ = try await service.client.ask(.put, "/elsewhere.json", body: .bytes(Array("1".utf8)))
            let missed = try await events(service, since: byHeader ? nil : token, lastEventID: byHeader ? token : nil)
            #expect(missed.compactMap(\.path) == ["/\(second)", "/\(first)"])
            #expect(missed.filter(\.isDeletion).map(\.path) == ["/\(first)"])
            #expect(missed[0].data["position"].string == missed[0].id, "new: its position is that of the change")
            // Nothing follows the last event; the header is newer than the address.
            let last = try #require(missed.last { $0.path != nil }?.id)
            #expect(try await events(service, since: token, lastEventID: last).compactMap(\.path) == [])
            let rest = try await events(service, lastEventID: missed[0].id, through: "third") {
                _ = try await service.client.post("third")
            }
            #expect(rest.compactMap(\.path).first == "/\(first)" && rest.compactMap(\.path).count == 2)
            // The first event has an id, too, with which a reader can continue.
            let begun = try #require(try await events(service).last?.id)
            let fourth = try await service.client.post("fourth") ?? ""
            #expect(try await events(service, lastEventID: begun).compactMap(\.path) == ["/\(fourth)"])
        }
    }

    @Test("The posts of one commit have an event each, and a reader can continue after each")
    func oneCommit() async throws {
        try await withService { service in
            let token = try await service.tree.token
            let post = Self.post(by: "maria")
            let update = "{\"a\":\(post),\"b\":\"junk\",\"c\":\(post),\"d\":\(post)}"
            try await write(update, to: "/posts.json", .patch, at: service)
            let all = try await events(service, since: "\(token)").filter { $0.path != nil }
            #expect(all.compactMap(\.path) == ["/a", "/c", "/d"])
            let sequence = try #require(all.last?.id)
            #expect(all.map { $0.data["position"].string } == [sequence, "\(sequence)-2", "\(sequence)-3"])
            for (index, event) in all.enumerated() {
                let rest = try await events(service, lastEventID: event.id)
                #expect(rest.compactMap(\.path) == all.dropFirst(index + 1).map(\.path), "\(event.id ?? "?")")
            }
        }
    }

    @Test("A post written by a client in pieces is sent once, when it appears, as it is then; later pieces are not")
    func pieces() async throws {
        try await withService { service in
            let token = try await service.tree.token
            try await write(
                #"{"timestamp":1,"text":"hello","author":{"uid":"maria"}}"#, to: "/posts/a.json", .patch, at: service)
            let live = try await events(service, since: "\(token)", through: "\"path\":\"/b\"") {
                try await write(#"{"text":"changed"}"#, to: "/posts/a.json", .patch, at: service)
                try await write(#"{"timestamp":2,"author/uid":"ann"}"#, to: "/posts/b.json", .patch, at: service)
            }
            let told = live.filter { $0.path != nil }
            #expect(told.map(\.path) == ["/a", "/b"])
            #expect(told.allSatisfy { $0.data["position"].string == $0.id })
            #expect(told.first?.data["data"]["author"]["uid"].string == "maria")
        }
    }

    @Test("A reader gets a large commit piece by piece, and is not disconnected")
    func large() async throws {
        try await withService { service in
            let token = try await service.tree.token
            let text = String(repeating: "x", count: 50_000)
            for batch in 0..<3 {
                let posts = (0..<100).map { number in
                    "\"p\(batch)\(100 + number)\":{\"timestamp\":1,\"text\":\"\(text)\",\"author\":{\"uid\":\"maria\"}}"
                }
                try await write("{\(posts.joined(separator: ","))}", to: "/posts.json", .patch, at: service)
            }
            // An expectation describes the compared values, which takes minutes for so much text.
            let ids = try await events(service, since: "\(token)").filter { $0.path != nil }.map(\.id)
            #expect(ids.count == 300 && Set(ids).count == 300)
        }
    }

    @Test(
        "A replaced post is sent with its former position, and one of another author with a new one",
        arguments: [("maria", true), ("ann", false)])
    func replaced(author: String, isKept: Bool) async throws {
        try await withService { service in
            try await write(Self.post(by: "maria"), to: "/posts/a.json", at: service)
            let position = try await service.tree.snapshot { try $0.position(ofPost: "a") }?.sequence ?? 0
            let post = #"{"timestamp":2,"author":{"uid":"\#(author)"}}"#
            try await write(post, to: "/posts/a.json", at: service)
            let now = try await service.tree.snapshot { try $0.position(ofPost: "a") }?.sequence ?? 0
            #expect((now == position) == isKept)
            let told = try await events(service, since: "\(position)").filter { $0.path != nil }
            #expect(told.map { $0.data["position"].string } == ["\(now)"])
            #expect(UInt64(told.first?.id ?? "") ?? 0 > position)
        }
    }

    @Test(
        "The reader must read again when the log is too short, or when all posts are replaced at once, and can continue"
    )
    func resnapshot() async throws {
        try await withService(retention: ChangeRetention(count: 8)) { service in
            for index in 0..<40 { try await service.tree.set("a", to: .integer(Int64(index))) }
            let now = try await service.tree.token
            for id in ["0", "1", "999999", "18446744073709551615", "nonsense", "0-1"] {
                let told = try await events(service, lastEventID: id, through: "\"path\"") {
                    _ = try await service.client.post("after")
                }
                #expect(told.first?.name == "resnapshot", "\(id)")
                #expect(UInt64(told.first?.id ?? "") ?? 0 >= now.sequence)
                #expect(told.last?.data["data"]["text"].string == "after")
            }
            let told = try await events(service, through: "resnapshot") {
                try await write("{\"x\":\(Self.post(by: "maria"))}", to: "/posts.json", at: service)
            }
            #expect(told.last?.name == "resnapshot" && told.last?.id != nil)
            for since in ["x", "-1", "1-", "0-1", "1-0", "1-2-3"] {
                let answer = try await service.client.get("/v1/posts/events?since=\(since)")
                #expect(answer.status == 400 && answer.json["code"].string == "bad_request", "\(since)")
            }
        }
    }

    @Test(
        "P18: A client that reads the list and follows from its token has all posts at any time, whatever is done")
    func follow() async throws {
        try await withService { service in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<3 {
                    tasks.addTask {
                        for step in 0..<40 {
                            let path = "/posts/w\(writer)-\(step % 7).json"
                            if step % 3 == 2 {
                                _ = try await service.client.ask(.delete, path)
                            } else {
                                try await write(Self.post(by: "w\(writer)"), to: path, at: service)
                            }
                        }
                    }
                }
                let list = try await service.client.get("/v1/posts?limit=200")
                var shown = Set(list.json["posts"].array.compactMap { $0["post_id"].string })
                var token = try #require(list.headers[.named("tintype-token")])
                func takePart() async throws {
                    for event in try await events(service, since: token) {
                        if let id = event.id { token = id }
                        guard let path = event.path else { continue }
                        let id = String(path.dropFirst())
                        if event.isDeletion { shown.remove(id) } else { shown.insert(id) }
                    }
                }
                for _ in 0..<10 { try await takePart() }
                try await tasks.waitForAll()
                try await takePart()
                let now = try await service.client.get("/v1/posts?limit=200").json["posts"].array
                #expect(shown == Set(now.compactMap { $0["post_id"].string }))
            }
        }
    }
}
