import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Notifications are correct, whatever people do, in whatever order")
struct NotificationModelTests {
    private static let people = ["ann", "bob", "cat", "dan"]

    @Test("28: Counts are exact, and each notification has its cause", arguments: UInt64(0)..<6)
    func random(seed: UInt64) async throws {
        try await NotificationStore.run { store in
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<150 { try await step(store, &generator) }
            let version = TreePath(["version"], in: .social)
            let repair = SocialRepair(store.tree, version: version, logger: Logger(label: "test"))
            #expect(try await repair.faults() == [])
            for uid in Self.people {
                let rows = try await store.tree.children(of: try TreePath("notifications/\(uid)"))
                #expect(try await store.unread(of: uid) == Int64(rows.count { $0.value["unread"] != nil }))
                for row in rows { try await expectCause(of: row.value, told: uid, store) }
                let person = try #require(UserID(uid))
                let page = try await store.notifications.page(of: person, before: nil, limit: 200).document
                #expect(page.unread == page.notifications.count(where: \.isUnread))
            }
        }
    }

    /// Performs an action of people or clients.
    private func step(_ store: NotificationStore, _ generator: inout SeededGenerator) async throws {
        func any(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
        let (actor, other, post) = (any(Self.people), any(Self.people), any(["p", "q"]))
        let comment = any(["c", "d", "e"])
        let person = try #require(UserID(other))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: try await store.like(post, by: actor)
        case 2: try await store.like(post, by: actor, false)
        case 3, 4: try await store.comment(comment, on: post, by: actor, mentioning: [other, any(Self.people)])
        case 5: try await store.tree.set(try TreePath("comments/\(post)/\(comment)"), to: nil)
        case 6: try await store.tree.set(try TreePath("people/\(actor)/following/\(other)"), to: true)
        case 7: try await store.tree.set(try TreePath("followers/\(other)/\(actor)"), to: nil)
        case 8:
            let ids = try await store.tree.keys(of: NotificationNodes.notification(person))
            guard let id = ids.randomElement(using: &generator) else { return }
            try await store.tree.set(NotificationNodes.notification(person) / id / "unread", to: nil)
        case 9: _ = try await store.notifications.markRead(.all, by: person)
        case 10: _ = try await store.announcements.publish("news", to: any(["", "x"]).isEmpty ? nil : [person])
        default: store.clock.advance(by: .seconds(Int.random(in: 1..<100_000, using: &generator)))
        }
    }

    /// Expects the cause of a notification to exist.
    private func expectCause(of row: TreeValue, told uid: String, _ store: NotificationStore) async throws {
        let kind = row["kind"]?.stringValue ?? ""
        let (actor, post) = (row["actor"]?["uid"]?.stringValue ?? "", row["post"]?.stringValue ?? "")
        let comment = row["comment"]?.stringValue ?? ""
        #expect(actor != uid)
        let cause =
            switch kind {
            case "like": "likes/\(post)/\(actor)"
            case "follow": "followers/\(uid)/\(actor)"
            case "comment", "mention": "comments/\(post)/\(comment)"
            default: ""
            }
        guard !cause.isEmpty else { return }
        #expect(try await store.tree.snapshot { try $0.exists(try TreePath(cause)) }, "\(kind) of \(cause)")
    }
}
