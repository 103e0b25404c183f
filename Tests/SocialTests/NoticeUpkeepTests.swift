import API
import Logging
import Testing

@testable import Posts
@testable import Social
@testable import Tree

@Suite("What is known of notifications goes with people, and can be mended")
struct NoticeUpkeepTests {
    @Test("Whoever is deleted leaves no notifications behind, nor what is known of them")
    func deletedPerson() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "bob")
            try await store.like("q", by: "ann")
            try await store.like("q", by: "ann", false)
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set("people/bob/following/ann", to: true)
            let bob = try #require(UserID("bob"))
            _ = try await store.announcements.publish("you two", to: [bob])
            _ = try await store.announcements.publish("all")
            _ = try await store.notifications.markRead(.all, by: bob)
            _ = try await PersonDeletion.begin(of: bob, in: store.tree)
            let worker = JobWorker(
                store.tree, clock: { [clock = store.clock] in clock.now }, logger: Logger(label: "test"))
            try await worker.runAll()
            for key in ["noticed", "unread", "notification_counts", "announcements_read"] as [TreeKey] {
                #expect(try await store.tree.get(TreePath([key], in: .social)) == nil, "\(key)")
            }
            for path in ["notifications", "unread"] as [TreePath] { #expect(try await store.tree.get(path) == nil) }
            let letters = try await store.tree.get(Paths.letters)
            #expect(letters?.object?.values.allSatisfy { $0["to"] == nil } == true)
        }
    }

    @Test(
        "A tree that is written over itself, or elsewhere, has the same notifications and numbers",
        arguments: [true, false])
    func imported(isSame: Bool) async throws {
        try await NotificationStore.run { store in
            for number in 0..<5 { try await store.like("p", by: "u\(number)") }
            let ann = try #require(UserID("ann"))
            let ids = try await store.tree.keys(of: Paths.notifications(ann))
            _ = try await store.notifications.markRead(.ids([ids[1]]), by: ann)
            let whole = try #require(try await store.tree.get(.root))
            try await NotificationStore.run { other in
                let target = isSame ? store : other
                // Somebody's numbers are not believed.
                var fields = whole.object ?? [:]
                fields["unread"] = ["ann": 77, "nobody": 5]
                try await target.tree.set(.root, to: .object(fields))
                #expect(try await target.tree.get(.root) == whole)
                try await target.like("p", by: "late")
                #expect(try await target.unread(of: "ann") == 5)
                #expect(try await target.list(of: "ann").last == "like late")
                let page = try await target.notifications.page(of: ann, before: nil, limit: 20).document
                #expect(page.unread == 5 && page.notifications.count == 6)
            }
        }
    }

    @Test("What is kept of notifications is what follows from them")
    func repair() async throws {
        try await NotificationStore.run { store in
            for number in 0..<5 { try await store.like("p", by: "u\(number)") }
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            let ann = try #require(UserID("ann"))
            let ids = try await store.tree.keys(of: Paths.notifications(ann))
            _ = try await store.notifications.markRead(.ids([ids[1]]), by: ann)
            let version = TreePath(["version"], in: .social)
            let repair = SocialRepair(store.tree, version: version, logger: Logger(label: "test"))
            #expect(try await repair.faults() == [])
            // Lost, and too many.
            var update = MultiPathUpdate()
            update.firstStratum = 100
            update["unread/ann"] = 77
            update["unread/nobody"] = 3
            update[Paths.unreadIDs(ann) / ids[0]] = nil
            update[Paths.unreadIDs(ann) / ids[1]] = true
            update[Paths.notificationCounts / "cat"] = nil
            try await store.tree.update(update)
            #expect(Set(try await repair.faults()).count == 5)
            try await repair.run()
            #expect(try await repair.faults() == [])
            #expect(try await store.unread(of: "ann") == 5)
        }
    }
}
