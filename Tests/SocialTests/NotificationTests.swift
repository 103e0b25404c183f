import API
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Notifications are read in pages, with announcements among them, and counted exactly")
struct NotificationTests {
    private let ann: UserID
    private let bob: UserID

    init() throws {
        ann = try #require(UserID("ann"))
        bob = try #require(UserID("bob"))
    }

    @Test("Pages are the newest first, and report exactly whether there are more", arguments: [1, 2, 3, 7, 8, 200])
    func pages(limit: Int) async throws {
        try await NotificationStore.run { store in
            for number in 0..<4 {
                try await store.like("p", by: "u\(number)")
                _ = try await store.announcements.publish("news \(number)")
            }
            var words: [String] = []
            var cursor: TreeKey?
            repeat {
                let (page, _) = try await store.notifications.page(of: ann, before: cursor, limit: limit)
                #expect(page.notifications.count == min(limit, 8 - words.count))
                words += page.notifications.map { $0.text ?? $0.actor?.uid ?? "" }
                #expect(page.hasMore == (words.count < 8))
                #expect(page.unread == 8)
                cursor = try page.next.map { try TreeKey($0) }
            } while cursor != nil
            #expect(words == ["news 3", "u3", "news 2", "u2", "news 1", "u1", "news 0", "u0"])
        }
    }

    @Test("A page has people's current names, and the current texts of comments")
    func present() async throws {
        try await NotificationStore.run { store in
            let bob = try #require(UserID("bob"))
            for people in [nil, [ann]] { _ = try await store.announcements.publish("x", by: bob, to: people) }
            try await store.comment("c", by: "bob")
            try await store.tree.set("people/bob/full_name", to: "Robert")
            try await store.tree.set("comments/p/c/text", to: "changed")
            let (page, token) = try await store.notifications.page(of: ann, before: nil, limit: 20)
            #expect(page.notifications.map { $0.actor?.fullName } == ["Robert", "Robert", "Robert"])
            let all = try await store.announcements.page(before: nil, limit: 20).document.announcements
            #expect(all.map { $0.author?.fullName } == ["Robert"])
            #expect(page.notifications.first?.text == "changed")
            #expect(token == (try await store.tree.token))
        }
    }

    @Test("27, 28: One notification, a range up to one, and all can be marked; the count is exact")
    func marks() async throws {
        try await NotificationStore.run { store in
            for number in 0..<3 {
                try await store.like("p", by: "u\(number)")
                _ = try await store.announcements.publish("news \(number)")
            }
            let notifications = store.notifications
            func states() async throws -> [Bool] {
                let page = try await notifications.page(of: ann, before: nil, limit: 20).document
                #expect(page.unread == page.notifications.count(where: \.isUnread))
                return page.notifications.map(\.isUnread)
            }
            let page = try await notifications.page(of: ann, before: nil, limit: 20).document
            let ids = try page.notifications.map { try TreeKey($0.id) }
            #expect(try await states() == [true, true, true, true, true, true])
            // An announcement, a like, and an invalid id.
            #expect(try await notifications.markRead(.ids([ids[0], ids[3], "x"]), by: ann).unread == 4)
            #expect(try await states() == [false, true, true, false, true, true])
            #expect(try await notifications.markRead(.ids([ids[0], ids[3]]), by: ann).unread == 4)
            #expect(try await notifications.markRead(.upTo(ids[2]), by: ann).unread == 1)
            #expect(try await states() == [false, true, false, false, false, false])
            #expect(try await notifications.markRead(.all, by: ann).unread == 0)
            #expect(try await states() == [false, false, false, false, false, false])
            #expect(try await store.unread(of: "ann") == 0)
            // The other person's are still unread.
            #expect(try await notifications.page(of: bob, before: nil, limit: 20).document.unread == 3)
            _ = try await store.announcements.publish("more")
            try await store.like("p", by: "late")
            #expect(try await notifications.page(of: ann, before: nil, limit: 20).document.unread == 2)
        }
    }

    @Test("27: Marking the largest possible list as read is one update, and a repetition none")
    func markAll() async throws {
        try await NotificationStore.run { store in
            for number in 0..<520 { try await store.like("p", by: "u\(number)") }
            let before = try await store.tree.token
            let (unread, token) = try await store.notifications.markRead(.all, by: ann)
            #expect(unread == 0 && token.sequence == before.sequence + 1)
            #expect(try await store.notifications.markRead(.all, by: ann).token == token)
            #expect(try await store.tree.keys(of: "notifications/ann").count == 500)
        }
    }

    @Test("28: The count is exact during concurrent writes and reads")
    func concurrent() async throws {
        try await NotificationStore.run { store in
            let notifications = store.notifications
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask { try await store.like("p", by: "u\(number)") }
                    group.addTask { _ = try await store.announcements.publish("news \(number)") }
                    group.addTask {
                        let page = try await notifications.page(of: ann, before: nil, limit: 5).document
                        let ids = try page.notifications.map { try TreeKey($0.id) }
                        _ = try await notifications.markRead(
                            number % 5 == 0 ? .all : .ids(Set(ids.prefix(2))), by: ann)
                    }
                }
                try await group.waitForAll()
            }
            let page = try await notifications.page(of: ann, before: nil, limit: 200).document
            #expect(page.notifications.count == 60)
            #expect(page.unread == page.notifications.count(where: \.isUnread))
        }
    }

    @Test("Only the newest announcements, of a month, are among the notifications; all of them stay in their list")
    func oldAnnouncements() async throws {
        try await NotificationStore.run { store in
            _ = try await store.announcements.publish("old")
            store.clock.advance(by: .seconds(31 * 86_400))
            for number in 0..<101 { _ = try await store.announcements.publish("news \(number)") }
            let page = try await store.notifications.page(of: ann, before: nil, limit: 200).document
            #expect(page.unread == 100 && page.notifications.count == 100 && !page.hasMore)
            #expect(page.notifications.last?.text == "news 1")
            let list = try await store.announcements.page(before: nil, limit: 200).document
            #expect(list.announcements.count == 102 && list.announcements.last?.text == "old")
        }
    }

    @Test("30: An announcement stays in the list, page by page, after everybody has read it; a deleted one disappears")
    func announcementList() async throws {
        try await NotificationStore.run { store in
            var ids: [TreeKey] = []
            for number in 0..<3 {
                let document = try await store.announcements.publish(
                    "news \(number)", title: "Title", by: bob
                ).document
                #expect(document.author?.fullName == "Bob" && document.timestamp == 1_000_000)
                ids.append(try TreeKey(document.id))
            }
            _ = try await store.notifications.markRead(.all, by: ann)
            let first = try await store.announcements.page(before: nil, limit: 2).document
            #expect(first.announcements.map(\.text) == ["news 2", "news 1"] && first.hasMore)
            let next = try TreeKey(try #require(first.next))
            let second = try await store.announcements.page(before: next, limit: 2).document
            #expect(second.announcements.map(\.text) == ["news 0"] && !second.hasMore && second.next == nil)
            _ = try await store.announcements.remove(ids[1])
            let rest = try await store.announcements.page(before: nil, limit: 20).document
            #expect(rest.announcements.map(\.text) == ["news 2", "news 0"])
            #expect(try await store.notifications.page(of: bob, before: nil, limit: 20).document.unread == 2)
            await #expect(throws: Failure.self) { try await store.announcements.remove(ids[1]) }
        }
    }

    @Test("An announcement that an admin writes into the database is valid if it has a text")
    func rawAnnouncement() async throws {
        try await NotificationStore.run { store in
            try await store.tree.set("announcements/a b", to: ["text": "raw", "author": "x", "timestamp": "y"])
            try await store.tree.set("announcements/c", to: ["title": "no text"])
            try await store.tree.set("announcements/d", to: ["text": 5])
            let list = try await store.announcements.page(before: nil, limit: 20).document
            #expect(list.announcements.map(\.id) == ["a b"] && list.announcements.map(\.text) == ["raw"])
            let page = try await store.notifications.page(of: ann, before: nil, limit: 20).document
            #expect(page.notifications.map(\.announcement) == ["a b"] && page.unread == 1)
            // Its position is that of its appearance.
            _ = try await store.announcements.publish("later")
            try await store.tree.set("announcements/a b/text", to: "changed")
            let texts = try await store.announcements.page(before: nil, limit: 20).document.announcements.map(\.text)
            #expect(texts == ["later", "changed"])
            try await store.tree.set("announcements", to: nil)
            #expect(try await store.tree.get(NotificationNodes.announcementInOrder()) == nil)
            #expect(try await store.notifications.page(of: ann, before: nil, limit: 20).document.unread == 0)
        }
    }

    @Test("An announcement to a few is a notification of each, and is deleted with it")
    func letter() async throws {
        try await NotificationStore.run { store in
            let document = try await store.announcements.publish(
                "just you", title: "Hello", by: bob, to: [ann, ann]
            ).document
            #expect(document.recipients == 1)
            let row = try #require(
                try await store.notifications.page(of: ann, before: nil, limit: 20).document.notifications.first)
            #expect(row.kind == "announcement" && row.text == "just you" && row.title == "Hello")
            #expect(row.announcement == document.id && row.actor?.uid == "bob" && row.isUnread)
            #expect(try await store.notifications.page(of: bob, before: nil, limit: 20).document.unread == 0)
            #expect(try await store.announcements.page(before: nil, limit: 20).document.announcements.isEmpty)
            #expect(try await store.tree.get("announcements") == nil)
            _ = try await store.announcements.remove(try TreeKey(document.id))
            #expect(try await store.tree.get("notifications") == nil)
        }
    }

    @Test(
        "A malformed announcement is refused",
        arguments: [("", nil, nil), (" \n", nil, nil), ("a\u{7}", nil, nil), ("a", "", nil), ("a", nil, [])]
            as [(String, String?, [UserID]?)])
    func refused(text: String, title: String?, people: [UserID]?) async throws {
        try await NotificationStore.run { store in
            await #expect(throws: Failure.self) {
                try await store.announcements.publish(text, title: title, to: people)
            }
            await #expect(throws: Failure.self) {
                try await store.announcements.publish(String(repeating: "x", count: 2000))
            }
            let crowd = try (0..<1001).map { try #require(UserID("u\($0)")) }
            await #expect(throws: Failure.self) { try await store.announcements.publish("a", to: crowd) }
            #expect(try await store.tree.get("announcements") == nil)
        }
    }

    @Test("Malformed rows of an admin are shown as far as possible")
    func strangeRows() async throws {
        try await NotificationStore.run { store in
            try await store.tree.set("notifications/ann", to: ["x": "text", "y": ["kind": 5, "actor": ["uid": "!"]]])
            try await store.like("p", by: "bob")
            let page = try await store.notifications.page(of: ann, before: nil, limit: 20).document
            #expect(Set(page.notifications.map(\.kind)) == ["unknown", "like"])
            #expect(page.unread == 1)
        }
    }
}
