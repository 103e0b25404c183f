import Synchronization
import TestSupport

@testable import Model
@testable import Social
@testable import Tree

/// A store of a test's own, with posts of Ann's and Bob's, and a time that the test sets.
struct NotificationStore: Sendable {
    let tree: TreeStore
    let clock: TestClock

    var notifications: Notifications { Notifications(tree, clock: { [clock] in clock.now }) }
    var announcements: Announcements { Announcements(tree, ids: PushIDGenerator(clock: { [clock] in clock.now })) }

    static func run(_ body: (NotificationStore) async throws -> Void) async throws {
        let clock = TestClock()
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { clock.now })
        for (uid, name) in [("ann", "Ann Lee"), ("bob", "Bob"), ("cat", "Cat")] {
            try await tree.set(try TreePath("people/\(uid)/full_name"), to: .string(name))
        }
        try await tree.set("posts/p", to: ["author": ["uid": "ann"], "text": "hello", "timestamp": 1])
        try await tree.set("posts/q", to: ["author": ["uid": "bob"], "text": "hello", "timestamp": 1])
        try await body(NotificationStore(tree: tree, clock: clock))
        await tree.close()
    }

    /// Delivers until no delivery is left.
    func untilDelivered() async throws {
        while true {
            let token = try await tree.token
            guard try await tree.snapshot({ try $0.exists(OutboxNodes.entry()) }) else { return }
            await tree.waitForChange(after: token)
        }
    }

    /// Returns a person's list, the oldest first: the kinds and the actors.
    func list(of uid: String) async throws -> [String] {
        try await tree.children(of: try TreePath("notifications/\(uid)")).map { row in
            let unread = row.value["unread"] == true ? "" : " (read)"
            return "\(row.value["kind"]?.stringValue ?? "?") \(row.value["actor"]?["uid"]?.stringValue ?? "-")\(unread)"
        }
    }

    /// Returns the number of unread notifications that clients see.
    func unread(of uid: String) async throws -> Int64 {
        try await tree.get(try TreePath("unread/\(uid)"))?.integerValue ?? 0
    }

    func like(_ post: String, by uid: String, _ isThere: Bool = true) async throws {
        try await tree.set(try TreePath("likes/\(post)/\(uid)"), to: isThere ? 1 : nil)
    }

    /// Writes a comment as a client does.
    func comment(_ id: String, on post: String = "p", by uid: String, mentioning people: [String] = []) async throws {
        var mentions: [TreeKey: TreeValue] = [:]
        for (index, uid) in people.enumerated() {
            mentions[try TreeKey("\(index)")] = ["uid": .string(uid), "start": 0, "length": 1]
        }
        try await tree.set(
            try TreePath("comments/\(post)/\(id)"),
            to: [
                "author": ["uid": .string(uid)], "text": "hi", "timestamp": 1, "mentions": .object(mentions),
            ])
    }
}

/// A clock that is constant until it is set.
final class TestClock: Sendable {
    private let time = Mutex<Timestamp>(1_000_000)

    var now: Timestamp { time.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0 + .seconds(duration.components.seconds) }
    }
}
