import API
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Likes of one post are grouped on request")
struct NotificationGroupTests {
    private let ann: UserID

    init() throws { ann = try #require(UserID("ann")) }

    /// Returns the notifications of ann's pages: the kind, and for groups the named people and the count.
    private func lines(_ store: NotificationStore, limit: Int) async throws -> [String] {
        var (lines, cursor): ([String], TreeKey?) = ([], nil)
        repeat {
            let page = try await store.notifications.page(
                of: ann, before: cursor, limit: limit, isGrouped: true
            ).document
            #expect(page.notifications.count == limit || !page.hasMore)
            #expect(page.hasMore == (page.next != nil) && !(page.hasMore && page.notifications.isEmpty))
            lines += page.notifications.map { notification in
                let name = notification.text ?? notification.actor?.uid ?? "-"
                guard let count = notification.count, let actors = notification.actors else {
                    return "\(notification.kind) \(name)"
                }
                #expect(notification.actor?.uid == actors.first?.uid)
                return "\(notification.kind) \(actors.map(\.uid).joined(separator: ",")) of \(count)"
            }
            cursor = try page.next.map { try TreeKey($0) }
        } while cursor != nil
        return lines
    }

    /// Runs a body with posts of ann's with likes, between which there are other events.
    private func withLikes(_ body: (NotificationStore) async throws -> Void) async throws {
        try await NotificationStore.run { store in
            for post in ["p2", "p3"] {
                try await store.tree.set(
                    try TreePath("posts/\(post)"), to: ["author": ["uid": "ann"], "text": "x", "timestamp": 1])
            }
            for (number, post) in ["p", "p2", "p", "p3", "p"].enumerated() {
                try await store.like(post, by: "u\(number)")
                if number == 1 { _ = try await store.announcements.publish("news") }
                if number == 2 { try await store.comment("c", by: "bob") }
            }
            try await store.like("p2", by: "bob")
            try await body(store)
        }
    }

    @Test(
        "Pages have each post's likes once, at the position of the newest, and everything else unchanged",
        arguments: [1, 2, 3, 4, 5, 200])
    func pages(limit: Int) async throws {
        try await withLikes { store in
            #expect(
                try await lines(store, limit: limit) == [
                    "like bob,u1 of 2", "like u4,u2 of 3", "like u3", "comment hi", "announcement news",
                ])
            // Removed likes are in no group, and the second newest becomes the newest.
            try await store.like("p", by: "u4", false)
            try await store.like("p2", by: "u1", false)
            #expect(
                try await lines(store, limit: limit) == [
                    "like bob", "like u3", "comment hi", "like u2,u0 of 2", "announcement news",
                ])
        }
    }

    @Test("A mention and an announcement among 505 likes are on the first page, and everything is unread")
    func manyLikes() async throws {
        try await NotificationStore.run { store in
            try await store.comment("c", on: "q", by: "cat", mentioning: ["ann"])
            _ = try await store.announcements.publish("just you", to: [ann])
            for number in 0..<505 { try await store.like("p", by: "u\(number)") }
            let page = try await store.notifications.page(of: ann, before: nil, limit: 20, isGrouped: true).document
            #expect(page.notifications.map(\.kind) == ["like", "announcement", "mention"])
            #expect(page.notifications.map(\.count) == [498, nil, nil])
            #expect(page.notifications.allSatisfy(\.isUnread) && page.unread == 500 && !page.hasMore)
        }
    }

    @Test("A group is marked as read with all its notifications, and no others; the count is exact")
    func marks() async throws {
        try await withLikes { store in
            func page() async throws -> NotificationPageDocument {
                try await store.notifications.page(of: ann, before: nil, limit: 20, isGrouped: true).document
            }
            let ids = try await page().notifications.map { try TreeKey($0.id) }
            // A like that is added meanwhile is not read, nor are those of other posts.
            try await store.like("p", by: "late")
            #expect(try await page().unread == 9)
            #expect(try await store.notifications.markRead(.groups([ids[1], ids[4], "x"]), by: ann).unread == 5)
            let list = try await store.list(of: "ann")
            #expect(
                list == [
                    "like u0 (read)", "like u1", "like u2 (read)", "comment bob", "like u3", "like u4 (read)",
                    "like bob", "like late",
                ])
            let states = try await page().notifications.map(\.isUnread)
            #expect(states == [true, true, true, true, false])
            // The id of one of several marks it alone, and not the group.
            #expect(try await store.notifications.markRead(.ids([ids[0]]), by: ann).unread == 4)
            #expect(try await page().notifications.map(\.isUnread) == [true, true, true, true, false])
            #expect(try await store.notifications.markRead(.groups([ids[0]]), by: ann).unread == 3)
            #expect(try await store.unread(of: "ann") == 3)
        }
    }

    @Test("An import may bring more than are kept: each of them is returned once", arguments: [7, 200])
    func imported(limit: Int) async throws {
        try await NotificationStore.run { store in
            var rows: [TreeKey: TreeValue] = [:]
            for number in 0..<700 {
                let like: TreeValue = [
                    "kind": "like", "post": .string(number % 2 == 0 ? "p" : "q"), "timestamp": 1,
                    "actor": ["uid": .string("u\(number)")],
                ]
                rows[PostPosition(sequence: UInt64(1000 + number)).key] = like
            }
            try await store.tree.set("notifications/ann", to: .object(rows))
            let single = (0..<200).reversed().map { "like u\($0)" }
            #expect(
                try await lines(store, limit: limit) == ["like u699,u697 of 250", "like u698,u696 of 250"] + single)
        }
    }
}
