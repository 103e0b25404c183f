import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Notifications have current names")
struct RenamedNotificationTests {
    @Test("2: A new name is in the notifications of the person's actions, for all readers, and no others change")
    func rename() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "bob")
            try await store.like("p", by: "cat")
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set("people/bob/following/ann", to: true)
            // Without posts and comments: a like is enough.
            try await store.like("p", by: "dan")
            let before = try await store.unread(of: "ann")
            try await store.tree.set("people/bob/full_name", to: "Robert")
            try await store.tree.set("people/bob/profile_picture", to: "/b.jpg")
            try await store.tree.set("people/dan/full_name", to: "Daniel")
            try await FollowUpTaskWorker(store.tree, clock: { 0 }, logger: Logger(label: "test")).runAll()
            let robert: TreeValue = ["uid": "bob", "full_name": "Robert", "profile_picture": "/b.jpg"]
            for reader in ["ann", "cat"] as [TreeKey] {
                let rows = try await store.tree.children(of: "notifications" / reader)
                let ofBob = rows.filter { $0.value["actor"]?["uid"] == "bob" }
                #expect(ofBob.count == (reader == "ann" ? 3 : 1))
                #expect(ofBob.allSatisfy { $0.value["actor"] == robert }, "\(ofBob)")
                for row in rows where row.value["actor"]?["uid"] == "cat" {
                    #expect(row.value["actor"]?["full_name"] == "Cat")
                }
                for row in rows where row.value["actor"]?["uid"] == "dan" {
                    #expect(row.value["actor"]?["full_name"] == "Daniel")
                }
            }
            #expect(try await store.unread(of: "ann") == before)
            #expect(try await store.tree.get(WorkNodes.followUpTask()) == nil)
        }
    }

    @Test("2: A new name is in the notifications of everybody whom the person's posts mention, however many these are")
    func mentions() async throws {
        try await NotificationStore.run { store in
            for number in 0..<300 {
                var mentions: [TreeKey: TreeValue] = [:]
                for place in 0..<3 {
                    let uid = TreeValue.string("u\(number * 3 + place)")
                    mentions[TreeKey(unchecked: "\(place)")] = ["uid": uid, "start": 0, "length": 1]
                }
                try await store.tree.set(
                    try TreePath("posts/x\(number)"),
                    to: ["timestamp": 1, "author": ["uid": "bob"], "text": "x", "mentions": .object(mentions)])
            }
            try await store.tree.set("people/bob/full_name", to: "Robert")
            try await FollowUpTaskWorker(store.tree, clock: { 0 }, logger: Logger(label: "test")).runAll()
            for number in 0..<900 {
                let rows = try await store.tree.children(of: try TreePath("notifications/u\(number)"))
                #expect(rows.map { $0.value["actor"]?["full_name"] } == ["Robert"], "u\(number)")
            }
            #expect(try await store.tree.get("posts/x299/author/full_name") == "Robert")
        }
    }

    @Test("2: A name in more notifications than a step renames is in all of them")
    func many() async throws {
        try await NotificationStore.run { store in
            for number in 0..<300 {
                let post = "x\(number)"
                try await store.tree.set(
                    try TreePath("posts/\(post)"), to: ["timestamp": 1, "author": ["uid": .string("a\(number)")]])
                try await store.like(post, by: "bob")
                try await store.tree.set(try TreePath("people/bob/following/a\(number)"), to: true)
            }
            try await store.tree.set("people/bob/full_name", to: "Robert")
            try await FollowUpTaskWorker(store.tree, clock: { 0 }, logger: Logger(label: "test")).runAll()
            for number in 0..<300 {
                let rows = try await store.tree.children(of: try TreePath("notifications/a\(number)"))
                #expect(rows.count == 2)
                #expect(rows.allSatisfy { $0.value["actor"]?["full_name"] == "Robert" }, "a\(number)")
            }
        }
    }
}
