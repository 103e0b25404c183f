import API
import Access
import Database
import Synchronization
import TestSupport
import Testing
import Tree
import TreeModel

/// A recorder of the listeners that have been notified of their end.
private final class Endings: EventReceiver {
    private let ended = Mutex<[UInt64]>([])

    func receive(_ event: TreeEvent, for listeners: [UInt64]) {}
    func cancel(_ listeners: [UInt64]) { ended.withLock { $0 += listeners } }
    func end() {}

    var all: [UInt64] { ended.withLock { $0 } }
}

@Suite("Rules apply to the reads, writes and listeners of a session", .timeLimit(.minutes(20)))
struct RuledSessionTests {
    private static let rules = """
        {"rules": {
          "own": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid",
            "age": {".validate": "newData.isNumber()"}, "born": {".validate": "newData.val() === now"}}},
          "posts": {".read": true, ".indexOn": "by", "$id": {
            ".write": "auth !== null && (!data.exists() || data.child('by').val() === auth.uid)",
            ".validate": "newData.child('by').val() === auth.uid"}},
          "lists": {"$uid": {"$id": {".write": "auth.uid === $uid",
            ".validate": "newData.parent().parent().parent().child('posts').child($id).exists()"}}},
          "mine": {".read": "query.orderByChild === 'by' && query.equalTo === auth.uid", ".indexOn": "by"}}}
        """

    private static func user(_ uid: String) -> Identity {
        .user(User(uid: uid, auth: ["uid": .string(uid), "token": [:]]))
    }

    /// An operation of a user, and whether the rules allow it.
    struct Row: Sendable {
        let identity: Identity
        let step: SessionTests.Step
        let isAllowed: Bool

        init(_ uid: String?, _ step: SessionTests.Step, _ isAllowed: Bool) {
            identity = uid.map(RuledSessionTests.user) ?? .anonymous
            self.step = step
            self.isAllowed = isAllowed
        }
    }

    static let rows = [
        Row("ada", .set("own/ada", "{\"age\":36}"), true), Row("ada", .set("own/ada/age", "\"old\""), false),
        Row("ada", .set("own/bob", "{\"age\":36}"), false), Row(nil, .set("own/ada/age", "1"), false),
        Row("ada", .set("own/ada/born", "{\".sv\":\"timestamp\"}"), true), Row("ada", .set("own/ada/born", "5"), false),
        Row("ada", .remove("own/ada"), true), Row("bob", .remove("own/ada"), false),
        Row("ada", .set("own/ada/age", "null"), true), Row("ada", .set("nowhere", "1"), false),
        Row("ada", .update(DatabasePath(.root), "{\"posts/q\":{\"by\":\"ada\"},\"lists/ada/q\":true}"), true),
        Row("ada", .update(DatabasePath(.root), "{\"posts/q\":{\"by\":\"bob\"},\"lists/ada/q\":true}"), false),
        Row("ada", .update(DatabasePath(.root), "{\"lists/ada/q\":true}"), false),
        Row("ada", .update(DatabasePath(.root), "{\"lists/ada/p\":true,\"posts/p\":null}"), false),
        Row("ada", .update(DatabasePath(.root), "{\"lists/ada/p\":null,\"posts/p\":null}"), false),
        Row("bob", .update(DatabasePath(.root), "{\"lists/bob/p\":null,\"posts/p\":null}"), true),
        Row("bob", .set("posts/p", "{\"by\":\"bob\",\"text\":\"x\"}"), true),
        Row("ada", .set("posts/p/text", "\"mine\""), false), Row("ada", .push("posts", "{\"by\":\"ada\"}"), true),
        Row("ada", .push("posts", "{\"by\":\"bob\"}"), false),
        Row("ada", .set("posts/p", "1", ifETag: "stale"), false),
    ]

    @Test("A write is checked with the data before and after it, whole or not at all", arguments: rows)
    func writes(row: Row) async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(Self.rules)
            try await fixture.tree.set("posts/p/by", to: "bob")
            try await fixture.tree.set("own/ada/age", to: 35)
            let before = try await fixture.tree.get(.root)
            do {
                _ = try await row.step.take(in: fixture.database.session(as: row.identity))
                #expect(row.isAllowed)
            } catch let error as TreeError {
                #expect(error.code == .permissionDenied && !row.isAllowed, "\(error)")
                #expect(try await fixture.tree.get(.root) == before)
            }
            // Rules do not apply to the owner.
            _ = try await SessionTests.Step.set("own/ada/age", "\"old\"").take(in: fixture.owner)
        }
    }

    @Test("Concurrent writes are checked one after the other, each with the data that the others left")
    func concurrentWrites() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(
                #"{"rules": {"first": {".write": "auth !== null && !data.exists()"}}}"#)
            let winners = await withTaskGroup(of: Bool.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let session = fixture.database.session(as: Self.user("u\(index)"))
                        return (try? await SessionTests.Step.set("first", "\(index)").take(in: session)) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(winners == 1)
        }
    }

    @Test("A large write is checked before it is staged, and in its commit")
    func largeWrites() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(Self.rules)
            let members = (0..<25_000).map { "\"k\($0)\":1" }.joined(separator: ",")
            for (uid, isAllowed) in [("ada", true), ("bob", false)] {
                let session = fixture.database.session(as: Self.user(uid))
                let step = SessionTests.Step.set("own/ada", "{\(members)}")
                #expect(((try? await step.take(in: session)) != nil) == isAllowed)
            }
            #expect(try await fixture.tree.keys(of: "own/ada").count == 25_000)
        }
    }

    private func isReadable(_ request: ReadRequest, by uid: String?, _ fixture: Fixture) async throws -> Bool {
        let session = fixture.database.session(as: uid.map(Self.user) ?? .anonymous)
        do {
            _ = try await session.get(request)
            return true
        } catch let error as TreeError where error.code == .permissionDenied {
            return false
        }
    }

    @Test("A read is checked at its path, and with its query")
    func reads() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(Self.rules)
            let plain = ReadRequest.Part.value(.plain)
            #expect(try await isReadable(ReadRequest(plain, at: "own/ada/age"), by: "ada", fixture))
            #expect(try await !isReadable(ReadRequest(plain, at: "own/ada/age"), by: "bob", fixture))
            #expect(try await !isReadable(ReadRequest(plain, at: "own"), by: "ada", fixture))
            #expect(try await isReadable(ReadRequest(plain, at: "posts/p"), by: nil, fixture))
            for part in [.keys, .count, .priority, .nothing, plain] as [ReadRequest.Part] {
                #expect(try await !isReadable(ReadRequest(part, at: .root, wantsETag: true), by: "ada", fixture))
            }
            func query(_ uid: String) throws -> ReadRequest {
                ReadRequest(
                    plain, at: "mine", matching: try TreeQuery(order: .child("by"), equalTo: .init(.string(uid))))
            }
            #expect(try await isReadable(query("ada"), by: "ada", fixture))
            #expect(try await !isReadable(query("bob"), by: "ada", fixture))
            #expect(try await !isReadable(ReadRequest(plain, at: "mine"), by: "ada", fixture))
        }
    }

    @Test("A listener is checked when it begins, and again when the rules change")
    func listeners() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(Self.rules)
            let (receiver, session) = (Endings(), fixture.database.session(as: Self.user("ada")))
            func listen(_ path: TreePath) async throws -> UInt64 {
                var begun: Listener?
                _ = try await session.listen(to: ListenRequest(at: path), in: TextFrame(), notifying: receiver) {
                    begun = $0
                }
                return try #require(begun).id
            }
            let own = try await listen("own/ada")
            let posts = try await listen("posts")
            await #expect(throws: TreeError.self) { _ = try await listen("own/bob") }
            let closed = Self.rules.replacing(
                "\"posts\": {\".read\": true", with: "\"posts\": {\".read\": \"auth.token.vip === true\"")
            try await fixture.owner.rules(of: .main).replace(by: Array(closed.utf8))
            #expect(receiver.all == [posts])
            try await fixture.owner.rules(of: .main).replace(by: Array(#"{"rules": {}}"#.utf8))
            #expect(Set(receiver.all) == [own, posts])
        }
    }

    @Test("A listener that is cut off is notified once, however many checks happen at the same time")
    func listenersCutOffOnce() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let text = #"{"rules": {"news": {".read": "root.child('members').hasChild(auth.uid)"}}}"#
            try await fixture.tree.setRules(text)
            let rules = try fixture.owner.rules(of: .main)
            for round in 0..<20 {
                try await fixture.tree.set("members/ada", to: true)
                let (receiver, session) = (Endings(), fixture.database.session(as: Self.user("ada")))
                for _ in 0..<100 {
                    _ = try await session.listen(
                        to: ListenRequest(at: "news"), in: TextFrame(), notifying: receiver, began: { _ in })
                }
                async let removed = fixture.tree.set("members/ada", to: nil)
                async let first: Void = rules.replace(by: Array(text.utf8))
                async let second: Void = rules.replace(by: Array((text + " ").utf8))
                _ = try await (removed, first, second)
                try await eventually { receiver.all.count >= 100 }
                try await rules.replace(by: Array(text.utf8))
                #expect(receiver.all.count == 100, "round \(round)")
            }
        }
    }

    @Test("A listener is checked again when data that the rules have read changes, at any path")
    func listenersOfData() async throws {
        let rules = """
            {"rules": {
              "clubs": {".write": true},
              "news": {"$club": {".read": "root.child('clubs').child($club).child('members').hasChild(auth.uid)", ".indexOn": "n"}},
              "places": {"$uid": {".read": "data.child('shared').val() === true"}}}}
            """
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let tree = fixture.tree
            try await tree.setRules(rules)
            let receiver = Endings()
            func listen(_ path: TreePath, by uid: String, _ query: TreeQuery? = nil) async throws -> UInt64 {
                var begun: Listener?
                _ = try await fixture.database.session(as: Self.user(uid)).listen(
                    to: ListenRequest(at: path, matching: query), in: TextFrame(), notifying: receiver
                ) { begun = $0 }
                return try #require(begun).id
            }
            try await tree.set("clubs/chess", to: ["members": ["ada": true, "bob": true], "name": "Chess"])
            try await tree.set("places/ada", to: ["shared": true, "latitude": 1])
            let ada = try await listen("news/chess", by: "ada")
            let bob = try await listen("news/chess", by: "bob", try TreeQuery(order: .child("n"), limit: .last(1)))
            let place = try await listen("places/ada", by: "bob")
            try await tree.set("news/chess/one", to: ["n": 1])
            try await tree.set("places/ada/latitude", to: 2)
            try await tree.set("clubs/chess/name", to: "Chess and more")
            try await tree.set("places/ada/shared", to: false)
            try await eventually { receiver.all == [place] }
            try await tree.set("clubs/chess/members/bob", to: nil)
            try await eventually { receiver.all == [place, bob] }
            // A write above deletes the members, too.
            try await tree.set("clubs", to: nil)
            try await eventually { receiver.all == [place, bob, ada] }
        }
    }

    @Test("A user who is admitted and removed at once is cut off in the end, with any number of listeners")
    func listenersWhileDataChange() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            try await fixture.tree.setRules(
                #"{"rules": {"news": {".read": "root.child('members').hasChild(auth.uid)"}}}"#)
            let receiver = Endings()
            for index in 0..<200 {
                let member = try TreePath("members/u\(index)")
                try await fixture.tree.set(member, to: true)
                async let removed = fixture.tree.set(member, to: nil)
                let session = fixture.database.session(as: Self.user("u\(index)"))
                var begun: Listener?
                do throws(TreeError) {
                    _ = try await session.listen(
                        to: ListenRequest(at: "news"), in: TextFrame(), notifying: receiver
                    ) { begun = $0 }
                } catch {
                    #expect(error.code == .permissionDenied)
                    begun = nil
                }
                _ = try await removed
                if let id = begun?.id { try await eventually { receiver.all.contains(id) } }
            }
        }
    }

    @Test("A tree without rules is closed, except in an emulator", arguments: [false, true])
    func withoutRules(isOpen: Bool) async throws {
        try await withDatabase(isOpenWithoutRules: isOpen) { fixture in
            let step = SessionTests.Step.set("a", "1")
            #expect(((try? await step.take(in: fixture.stranger)) != nil) == isOpen)
            #expect(try await isReadable(ReadRequest(.value(.plain), at: "a"), by: nil, fixture) == isOpen)
            _ = try await step.take(in: fixture.owner)
        }
    }
}

extension DatabasePath: ExpressibleByStringLiteral {
    package init(stringLiteral value: StaticString) { self.init(TreePath(stringLiteral: value)) }
}
