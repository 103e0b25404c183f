import Access
import Client
import Foundation
import HTTPTypes
import Server
import Service
import TestSupport
import Testing
import Transport
import Tree

@Suite("The stream of a home feed", .timeLimit(.minutes(20)))
struct SocialFeedEventTests {
    private static let greeting = ": changes of the feed follow"
    private static let path = "/v1/people/maria/feed/events"

    private func events(
        _ service: Service, since: String? = nil, lastEventID: String? = nil, through end: String = greeting,
        act: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> [StreamedEvent] {
        try await service.client.events(
            Self.path, since: since, lastEventID: lastEventID, from: Self.greeting, through: end, act: act
        ).filter { $0.name != nil }
    }

    /// Returns the position of the current state of the feed.
    private func token(_ service: Service) async throws -> String {
        let answer = try await service.client.get("/v1/people/maria/feed")
        return try #require(answer.headers[.named("tintype-token")])
    }

    /// Returns the events of an action that follows a read of the list.
    private func told(
        at service: Service, _ act: @escaping @Sendable () async throws -> Void
    ) async throws -> [StreamedEvent] {
        let token = try await token(service)
        try await act()
        return try await events(service, since: token)
    }

    /// Returns the authors that the events remove, and the names of all other events.
    private func names(
        at service: Service, _ act: @escaping @Sendable () async throws -> Void
    ) async throws -> [String?] {
        try await told(at: service, act).map { $0.data["author"].string ?? $0.name }
    }

    private func put(_ path: String, _ value: String, _ service: Service) async throws {
        let answer = try await service.client.ask(.put, "/\(path).json", body: .bytes(Array(value.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static func post(by uid: String, _ text: String = "x") -> String {
        #"{"timestamp":1,"text":"\#(text)","author":{"uid":"\#(uid)"}}"#
    }

    /// Runs a test's body against a service with people, of whom maria follows jan.
    private func withPeople(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan", "eve")
            try await put("people/maria/following/jan", "true", service)
            try await body(service)
        }
    }

    @Test("P22: A home feed's stream sends new posts and deletions of followed people, and of no others")
    func posts() async throws {
        try await withPeople { service in
            let own = try await service.client.post("before") ?? ""
            let put = try await told(at: service) { _ = try await service.client.post("hello", by: "jan") }
            let post = try #require(put.first?.data["data"])
            #expect(put.count == 1 && put[0].name == "put" && put[0].data["position"].string == put[0].id)
            #expect(post["text"].string == "hello" && post["kind"].string == "text")
            // The list's form of the post, with its context.
            let listed = try await service.client.get("/v1/people/maria/feed").json["posts"].array
            #expect(listed.first == post && post["counts"]["likes"].int == 0 && post["liked"].bool == false)
            let deleted = try await told(at: service) { _ = try await service.client.ask(.delete, "/v1/posts/\(own)") }
            #expect(deleted.map(\.postID) == [own] && deleted.allSatisfy(\.isDeletion))
            let strange = try await told(at: service) {
                _ = try await service.client.post("foreign", by: "eve")
                try await self.put("posts/strange", Self.post(by: "eve"), service)
                try await self.put("posts/strange/text", "\"edited\"", service)
                try await self.put("posts/strange", "null", service)
            }
            #expect(strange.isEmpty, "\(strange)")
            let raw = try await told(at: service) { try await self.put("posts/raw", Self.post(by: "jan"), service) }
            let edited = try await told(at: service) { try await self.put("posts/raw/text", "\"edited\"", service) }
            #expect(raw.count == 1 && edited.first?.data["data"]["text"].string == "edited")
            #expect(edited.first?.data["position"] == raw.first?.data["position"])
            let given = try await told(at: service) { try await self.put("posts/raw/author/uid", "\"eve\"", service) }
            #expect(given.map(\.postID) == ["raw"] && given.allSatisfy(\.isDeletion))
            let back = try await told(at: service) { try await self.put("posts/raw/author/uid", "\"jan\"", service) }
            #expect(back.map(\.isDeletion) == [false] && back.first?.data["position"].string == back.first?.id)
            let broken = try await told(at: service) { try await self.put("posts/raw/timestamp", "null", service) }
            #expect(broken.map(\.isDeletion) == [true])
            let live = try await events(service, through: "\"path\":\"/last\"") {
                try await self.put("posts/last", Self.post(by: "maria"), service)
            }
            #expect(live.map(\.postID) == ["last"])
        }
    }

    @Test("36: A stream of a home feed continues after any of its events, by Last-Event-ID and by the list's token")
    func resumes() async throws {
        try await withPeople { service in
            let token = try await token(service)
            let update = "{\"a\":\(Self.post(by: "jan")),\"b\":\(Self.post(by: "eve")),\"c\":\(Self.post(by: "maria"))}"
            #expect(try await service.client.ask(.patch, "/posts.json", body: .bytes(Array(update.utf8))).status == 200)
            try await put("posts/d", Self.post(by: "jan"), service)
            try await put("posts/a", "null", service)
            _ = try await service.client.ask(.delete, "/v1/people/maria/following/jan")
            let all = try await events(service, since: token)
            // An unfollow is the only event about a person who is not followed any more.
            #expect(all.compactMap(\.postID) == ["c"] && all.last?.data["author"].string == "jan", "\(all)")
            for (index, event) in all.enumerated() {
                let rest = try await events(service, since: token, lastEventID: event.id)
                #expect(rest == Array(all.dropFirst(index + 1)), "\(event)")
            }
            let live = try await events(service, lastEventID: all.last?.id, through: "\"path\":\"/f\"") {
                try await put("posts/e", Self.post(by: "jan"), service)
                try await put("posts/f", Self.post(by: "maria"), service)
            }
            #expect(live.map(\.postID) == ["f"])
        }
    }

    @Test("36: Several posts of one change have ids of their own, and a cut between them loses and doubles none")
    func oneChange() async throws {
        try await withPeople { service in
            let token = try await token(service)
            let posts = (10..<90).map { "\"p\($0)\":\(Self.post(by: $0 % 3 == 0 ? "eve" : "jan"))" }
            let update = "{\(posts.joined(separator: ","))}"
            #expect(try await service.client.ask(.patch, "/posts.json", body: .bytes(Array(update.utf8))).status == 200)
            let all = try await events(service, since: token)
            #expect(all.compactMap(\.postID) == (10..<90).filter { $0 % 3 != 0 }.map { "p\($0)" })
            #expect(Set(all.map(\.id)).count == all.count)
            for index in [0, 20, all.count - 2, all.count - 1] {
                let rest = try await events(service, lastEventID: all[index].id)
                #expect(rest == Array(all.dropFirst(index + 1)))
            }
        }
    }

    @Test(
        "P22: An unfollowed or blocked person is named in an event; follows and the posts of a job require a new read"
    )
    func follows() async throws {
        try await withPeople { service in
            _ = try await service.client.post("earlier", by: "eve")
            for uid in ["maria", "jan"] { _ = try await service.client.post("hello", by: uid) }
            // The marks that a read writes are not follows.
            let read = try await names(at: service) { _ = try await service.client.get("/v1/people/maria/feed") }
            #expect(read == [])
            let followed = try await names(at: service) {
                let answer = try await service.client.ask(.put, "/v1/people/maria/following/eve")
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(!followed.isEmpty && followed.allSatisfy { $0 == "resnapshot" }, "\(followed)")
            let posts = try await service.client.get("/v1/people/maria/feed").json["posts"].array
            #expect(posts.count == 3)
            let writes = [
                ("followers/eve/maria", "null", ["eve"]), ("blocking/jan/maria", "true", ["jan"]),
                ("blocking/eve/maria", "true", []), ("blocking/jan/maria", "null", []),
                ("posts/x", Self.post(by: "jan"), []), ("posts", "{\"y\":\(Self.post(by: "maria"))}", ["resnapshot"]),
            ]
            for (path, value, expected) in writes {
                let told = try await names(at: service) { try await put(path, value, service) }
                #expect(told == expected, "\(path)")
            }
        }
    }

    @Test("P22: A publication writes nothing for listeners, and nothing for followers")
    func cost() async throws {
        try await withPeople { service in
            let token = try await token(service)
            let told = try await events(service, since: token, through: "hello") {
                _ = try await service.client.post("hello", by: "jan")
            }
            #expect(told.count == 1)
            let tree = try await service.tree.snapshot { snapshot in
                try snapshot.changes(since: SyncToken(sequence: UInt64(token) ?? 0), at: [.root])
            }
            let paths = tree.changes.flatMap { $0.compactMap { $0 } }.flatMap(\.writes).map { "\($0.path)" }
            #expect(!paths.isEmpty && paths.allSatisfy { !$0.contains("maria") }, "\(paths)")
        }
    }

    @Test("A home feed's stream is for the person and for admins; other requests and malformed ids are refused")
    func whoMayListen() async throws {
        try await withPeople { service in
            func status(_ path: String, as uid: String?) async throws -> Int {
                let headers = try uid.map { try service.headers(of: $0) } ?? [:]
                do {
                    _ = try await service.tcpClient.events(
                        path, headers: headers, from: Self.greeting, through: Self.greeting)
                    return 200
                } catch let refusal as StreamRefusal { return refusal.status }
            }
            #expect(try await status(Self.path, as: "maria") == 200)
            #expect(try await status(Self.path, as: "jan") == 403)
            #expect([401, 403].contains(try await status(Self.path, as: nil)))
            #expect(try await status("/v1/people/nobody/feed/events", as: "nobody") == 404)
            for query in ["since=x", "since=1-", "since=", "unknown=1"] {
                #expect(try await status("\(Self.path)?\(query)", as: "maria") == 400, "\(query)")
            }
            try await service.tree.setRules(#"{"rules":{"people":{".read":true}}}"#)
            #expect(try await status(Self.path, as: "maria") == 401)
        }
    }

    @Test("A stream ends when its token is revoked, when the rules forbid it, and when the person is deleted")
    func ends() async throws {
        try await withPeople { service in
            let headers = try service.headers(of: "maria")
            func rest(_ act: @escaping @Sendable () async throws -> Void) async throws -> [StreamedEvent] {
                do {
                    return try await service.tcpClient.events(
                        Self.path, headers: headers, from: Self.greeting, through: "never", act: act)
                } catch is StreamRefusal {
                    throw ServiceDidNotStart()
                } catch { return [] }
            }
            let rules = try await rest {
                try await service.tree.setRules(#"{"rules":{"people":{".read":true}}}"#)
                try await put("posts/a", Self.post(by: "jan"), service)
            }
            #expect(rules.allSatisfy { $0.postID == nil })
            try await service.setDefaultRules()
            let revoked = try await rest {
                service.access.revocations.revoke(uid: "maria", before: Int64(Date.now.timeIntervalSince1970) + 10)
                try await put("posts/b", Self.post(by: "jan"), service)
            }
            #expect(revoked.last?.name == "auth_revoked" && revoked.allSatisfy { $0.postID == nil }, "\(revoked)")
            _ = try? await service.client.events(Self.path, from: Self.greeting, through: "never") {
                _ = try await service.client.ask(.delete, "/v1/people/maria")
                try await put("posts/c", Self.post(by: "jan"), service)
            }
        }
    }

    @Test("The limit on streams includes the streams of home feeds")
    func limit() async throws {
        try await withService(changeServer: { $0.limits.streams = 1 }) { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria")
            let headers = try service.headers(of: "maria")
            _ = try await service.tcpClient.events(
                Self.path, headers: headers, from: Self.greeting, through: Self.greeting
            ) {
                let second = try await service.tcpClient.ask(.get, Self.path, headers: headers)
                #expect(second.status == 429)
            }
        }
    }
}
