import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("A client that follows a home feed has the posts of the list", .timeLimit(.minutes(20)))
struct SocialFeedModelTests {
    private static let people = ["maria", "jan", "eve", "tom"]

    /// A client that shows maria's home feed: it reads the list once, and follows the stream from there.
    private struct Reader {
        private static let path = "/v1/people/maria/feed"
        private static let greeting = ": changes of the feed follow"

        private let service: Service
        /// The authors and texts of the shown posts, by the posts' ids.
        private(set) var shown: [String: [String?]] = [:]
        private var position: String?
        private(set) var isComplete = false
        /// The number of answers that required a full read.
        private(set) var refusals = 0
        private(set) var readings = 0

        init(_ service: Service) { self.service = service }

        /// Returns the posts that only one of the two has, or that differ.
        func difference(from other: Reader) -> [String] {
            Set(shown.keys).union(other.shown.keys).filter { shown[$0] != other.shown[$0] }.map {
                "\($0): \(shown[$0] ?? []) is to be \(other.shown[$0] ?? [])"
            }
        }

        private static func content(_ post: JSON) -> [String?] { [post["author"]["uid"].string, post["text"].string] }

        /// Reads the whole list.
        mutating func readAll() async throws {
            readings += 1
            var (posts, next, token): ([String: [String?]], String?, String?) = ([:], nil, nil)
            isComplete = true
            repeat {
                let query = "?limit=7" + (next.map { "&before=\($0)" } ?? "")
                let page = try await service.client.get(Self.path + query)
                #expect(page.status == 200, "\(page.text)")
                token = token ?? page.headers[.named("tintype-token")]
                for post in page.json["posts"].array { posts[post["post_id"].string ?? ""] = Self.content(post) }
                if page.json["complete"].bool == false { isComplete = false }
                next = page.json["next"].string
            } while next != nil
            (shown, position) = (posts, token)
        }

        /// Connects, reads the missed events, or only the first of them, and disconnects.
        mutating func takePart(atMost limit: Int) async throws {
            let events: [StreamedEvent]
            do {
                events = try await service.client.events(
                    Self.path + "/events", lastEventID: position, from: Self.greeting, through: Self.greeting)
            } catch let refusal as StreamRefusal {
                #expect(refusal.status == 410 && refusal.body["code"].string == "token_too_old", "\(refusal)")
                refusals += 1
                return try await readAll()
            }
            for event in events.prefix(limit) {
                if let id = event.id { position = id }
                try await take(event)
            }
        }

        private mutating func take(_ event: StreamedEvent) async throws {
            switch event.name {
            case "put": shown[event.postID ?? ""] = event.isDeletion ? nil : Self.content(event.data["data"])
            case "left":
                let author = event.data["author"].string
                shown = shown.filter { $0.value[0] != author }
            case "resnapshot":
                // The events from here on may be older than the list, which is harmless.
                let position = position
                try await readAll()
                self.position = position
            default: break
            }
        }
    }

    /// Performs a random action of a user, by a route or by the database.
    private static func act(_ number: Int, _ service: Service, _ random: inout SeededGenerator) async throws {
        func person() -> String { people.randomElement(using: &random) ?? "jan" }
        func post() -> String { "p\(Int.random(in: 0..<12, using: &random))" }
        func write(_ path: String, _ json: String, _ method: HTTPRequest.Method = .put) async throws {
            _ = try await service.client.ask(method, "/\(path).json", body: .bytes(Array(json.utf8)))
        }
        func json(by uid: String) -> String {
            #"{"timestamp":1,"text":"t\#(number)","author":{"uid":"\#(uid)","full_name":"\#(uid)"}}"#
        }
        let (one, other) = ("maria", person())
        switch Int.random(in: 0..<20, using: &random) {
        case 0...5: try await write("posts/\(post())", json(by: person()))
        case 6:
            let (left, right) = (post(), "q\(post())")
            try await write("posts", "{\"\(left)\":\(json(by: person())),\"\(right)\":\(json(by: person()))}", .patch)
        case 7, 8: _ = try await service.client.ask(.delete, "/posts/\(post()).json")
        case 9: try await write("posts/\(post())/text", "\"edited \(number)\"")
        case 10: try await write("posts/\(post())/author/uid", "\"\(person())\"")
        case 11: try await write("posts/\(post())/timestamp", number % 2 == 0 ? "null" : "7")
        case 12, 13: _ = try await service.client.ask(.put, "/v1/people/\(one)/following/\(other)")
        case 14: try await write("followers/\(other)/\(one)", "true")
        case 15: _ = try await service.client.ask(.delete, "/v1/people/\(one)/following/\(other)")
        case 16: if other != one { try await write("blocking/\(other)/\(one)", number % 2 == 0 ? "true" : "null") }
        case 17: if other != one { try await write("blocking/\(one)/\(other)", number % 2 == 0 ? "null" : "true") }
        case 18: _ = try await service.client.get("/v1/people/\(one)/feed?limit=1")
        default:
            _ = try await service.client.ask(
                .patch, "/v1/people/\(other)", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"full_name":"\#(other) \#(number)"}"#.utf8)))
        }
    }

    @Test(
        "37: A reader of a home feed's stream ends with the list's posts, through cuts, 410 and full reads",
        arguments: [(100_000, false), (100_000, true), (60, false), (60, true)])
    func random(retention: Int, isBusy: Bool) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await withService(retention: ChangeRetention(count: retention)) { service in
            try await service.setDefaultRules()
            for uid in Self.people { try await service.addPeople(uid) }
            var random = SeededGenerator(seed: seed)
            var reader = Reader(service)
            try await reader.readAll()
            let stopped = try await withThrowingTaskGroup(of: Void.self) { tasks in
                // Other clients write at the same time.
                if isBusy {
                    tasks.addTask {
                        var random = SeededGenerator(seed: seed &+ 1)
                        for number in 1000..<1150 { try await Self.act(number, service, &random) }
                    }
                }
                for number in 0..<150 {
                    try await Self.act(number, service, &random)
                    guard Int.random(in: 0..<(retention < 100 ? 20 : 6), using: &random) == 0 else { continue }
                    try await reader.takePart(atMost: Int.random(in: 0..<8, using: &random))
                }
                try await tasks.waitForAll()
                return reader
            }
            reader = stopped
            if retention < 100 {
                for number in 0..<150 { try await service.tree.set("elsewhere", to: .integer(Int64(number))) }
                let before = reader.refusals
                try await reader.takePart(atMost: .max)
                #expect(reader.refusals == before + 1, "seed \(seed)")
            }
            var list = Reader(service)
            for _ in 0..<100 {
                try await reader.takePart(atMost: .max)
                try await list.readAll()
                if list.isComplete { break }
            }
            // The events caused by the last read are read, too.
            try await reader.takePart(atMost: .max)
            #expect(list.isComplete && reader.shown == list.shown, "seed \(seed): \(reader.difference(from: list))")
            if retention > 1000 { #expect(reader.refusals == 0, "seed \(seed)") }
        }
    }
}
