import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Records of notifications end with their people, and can be repaired")
struct NotificationUpkeepTests {
    @Test("A deleted person leaves neither notifications nor their records")
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
            let worker = FollowUpTaskWorker(
                store.tree, clock: { [clock = store.clock] in clock.now }, logger: Logger(label: "test"))
            try await worker.runAll()
            // Removed notifications, which could be repeated, are remembered for a day.
            store.clock.advance(by: .seconds(86_401))
            try await WithdrawnNotifications(store.tree).forget(now: store.clock.now)
            for key in ["noticed", "unread", "notification_counts", "announcements_read"] as [TreeKey] {
                #expect(try await store.tree.get(TreePath([key], in: .social)) == nil, "\(key)")
            }
            for path in ["notifications", "unread"] as [TreePath] { #expect(try await store.tree.get(path) == nil) }
            let letters = try await store.tree.get(NotificationNodes.letter())
            #expect(letters?.object?.values.allSatisfy { $0["to"] == nil } == true)
        }
    }

    @Test(
        "A block removes the notifications of the two from each other's lists, numbers and deliveries",
        arguments: ["blocking/ann/bob", "blocked/bob/ann", "blocking/bob/ann", "blocked/ann/bob"])
    func blocked(path: String) async throws {
        try await NotificationStore.run { store in
            try await Outbox(store.tree, clock: { 0 }).setOn(true)
            let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
            try await store.like("p", by: "bob")
            try await store.like("p", by: "cat")
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set("people/bob/following/ann", to: true)
            try await store.like("q", by: "ann")
            _ = try await store.announcements.publish("x", by: bob, to: [ann])
            #expect(try await store.unread(of: "ann") == 5)
            try await store.tree.set(try TreePath(path), to: true)
            #expect(try await store.list(of: "ann") == ["like cat", "announcement bob"])
            #expect(try await store.list(of: "bob") == [])
            #expect(try await store.list(of: "cat") == ["mention bob"])
            for (uid, count) in [("ann", 2), ("bob", 0), ("cat", 1)] {
                #expect(try await store.unread(of: uid) == Int64(count))
                #expect(try await store.tree.keys(of: OutboxNodes.entry() / TreeKey(unchecked: uid)).count == count)
            }
            // The end of the block does not restore them.
            try await store.tree.set(try TreePath(path), to: nil)
            try await store.like("p", by: "bob", false)
            try await store.like("p", by: "bob")
            #expect(try await store.list(of: "ann") == ["like cat", "announcement bob"])
            let version = TreePath(["version"], in: .social)
            let repair = SocialRepair(store.tree, version: version, logger: Logger(label: "test"))
            #expect(try await repair.faults() == [])
        }
    }

    @Test("The memory of removed notifications expires after a day, unless they are repeated")
    func takenBack() async throws {
        try await NotificationStore.run { store in
            let known = TreePath(["noticed"], in: .social)
            try await store.like("p", by: "bob")
            try await store.like("p", by: "cat")
            try await store.tree.set("people/bob/following/ann", to: true)
            try await store.like("p", by: "bob", false)
            try await store.like("p", by: "cat", false)
            try await store.tree.set("people/bob/following/ann", to: nil)
            try await store.like("p", by: "cat")
            let withdrawn = WithdrawnNotifications(store.tree)
            store.clock.advance(by: .seconds(86_400))
            try await withdrawn.forget(now: store.clock.now)
            #expect(try await store.tree.get(known)?["withdrawn"]?.object?.count == 3)
            store.clock.advance(by: .seconds(1))
            try await withdrawn.forget(now: store.clock.now)
            #expect(try await store.tree.get(known / "withdrawn") == nil)
            #expect(try await store.tree.get(known / "follows") == nil)
            #expect(try await store.tree.keys(of: known / "likes" / "p") == ["cat"])
            // An existing notification is deleted at once when it is removed so late.
            #expect(try await store.list(of: "ann") == [])
            try await store.like("p", by: "cat", false)
            #expect(try await store.tree.get(known) == nil)
            try await store.like("p", by: "cat")
            #expect(try await store.list(of: "ann") == ["like cat"])
        }
    }

    @Test(
        "A tree that is written over itself, or elsewhere, has the same notifications and numbers",
        arguments: [true, false])
    func imported(isSame: Bool) async throws {
        try await NotificationStore.run { store in
            for number in 0..<5 { try await store.like("p", by: "u\(number)") }
            let ann = try #require(UserID("ann"))
            let ids = try await store.tree.keys(of: NotificationNodes.notification(ann))
            _ = try await store.notifications.markRead(.ids([ids[1]]), by: ann)
            let whole = try #require(try await store.tree.get(.root))
            try await NotificationStore.run { other in
                let target = isSame ? store : other
                // Written numbers are not trusted.
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

    @Test("Notifications of one update and of many are kept up to the same number")
    func limitAtOnce() async throws {
        try await NotificationStore.run { store in
            var total = 0
            for count in [499, 9, 2, 600, 1] {
                var update = MultiPathUpdate()
                for number in total..<total + count {
                    update["likes" / "p" / TreeKey(unchecked: "u\(1000 + number)")] = 1
                }
                try await store.tree.update(update)
                total += count
                let rows = try await store.tree.children(of: "notifications/ann")
                #expect(rows.count == min(total, 500))
                let first = TreeValue.string("u\(1000 + total - rows.count)")
                #expect(rows.first?.value["actor"]?["uid"] == first, "after \(count)")
                #expect(try await store.unread(of: "ann") == Int64(rows.count))
                #expect(try await store.tree.get(NotificationNodes.count() / "ann") == .integer(Int64(rows.count)))
            }
        }
    }

    @Test("A removed notification is not delivered, even if a full list has dropped it")
    func takenBackOfAFullList() async throws {
        try await NotificationStore.run { store in
            try await Outbox(store.tree, clock: { 0 }).setOn(true)
            try await store.like("p", by: "bob")
            try await store.comment("c", by: "bob")
            let ann = try #require(UserID("ann"))
            let letter = try await store.announcements.publish("x", to: [ann]).document
            for number in 0..<500 { try await store.like("p", by: "u\(number)") }
            #expect(try await store.tree.keys(of: OutboxNodes.entry() / "ann").count == 503)
            try await store.like("p", by: "bob", false)
            try await store.tree.set("comments/p/c", to: nil)
            _ = try await store.announcements.remove(TreeKey(unchecked: letter.id))
            #expect(try await store.tree.keys(of: OutboxNodes.entry() / "ann").count == 500)
        }
    }

    @Test("Stored data about notifications can be derived from them")
    func repair() async throws {
        try await NotificationStore.run { store in
            for number in 0..<5 { try await store.like("p", by: "u\(number)") }
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            let ann = try #require(UserID("ann"))
            let ids = try await store.tree.keys(of: NotificationNodes.notification(ann))
            _ = try await store.notifications.markRead(.ids([ids[1]]), by: ann)
            let version = TreePath(["version"], in: .social)
            let repair = SocialRepair(store.tree, version: version, logger: Logger(label: "test"))
            #expect(try await repair.faults() == [])
            // A missing one, and a false one.
            var update = MultiPathUpdate()
            update.firstStratum = 100
            update["unread/ann"] = 77
            update["unread/nobody"] = 3
            update[NotificationNodes.unreadID(ann) / ids[0]] = nil
            update[NotificationNodes.unreadID(ann) / ids[1]] = true
            update[NotificationNodes.count() / "cat"] = nil
            try await store.tree.update(update)
            #expect(Set(try await repair.faults()).count == 5)
            try await repair.run()
            #expect(try await repair.faults() == [])
            #expect(try await store.unread(of: "ann") == 5)
        }
    }
}
