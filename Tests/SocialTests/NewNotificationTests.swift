import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("People are notified of events in the commit of the event")
struct NewNotificationTests {
    @Test("A like of a post notifies its author, with the liker's name")
    func like() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "bob")
            let row = try #require(try await store.tree.children(of: "notifications/ann").first)
            #expect(PostPosition(key: row.key)?.sequence == (try await store.tree.token.sequence))
            #expect(
                row.value == [
                    "kind": "like", "actor": ["uid": "bob", "full_name": "Bob"], "post": "p", "timestamp": 1_000_000,
                    "unread": true,
                ])
            #expect(try await store.unread(of: "ann") == 1)
            // Written again, it is the same like.
            try await store.tree.set("likes/p/bob", to: 2)
            #expect(try await store.list(of: "ann") == ["like bob"])
        }
    }

    @Test("The cause and the notification are one change")
    func oneChange() async throws {
        try await NotificationStore.run { store in
            let token = try await store.tree.token
            try await store.like("p", by: "bob")
            let changes = try await store.tree.changes(since: token, limit: 10)
            #expect(changes.count == 1)
            let paths = changes[0].writes.map(\.path.description)
            #expect(paths.contains("/likes/p/bob") && paths.contains("/unread/ann"))
            #expect(paths.contains { $0.hasPrefix("/notifications/ann/") })
        }
    }

    @Test("Actions do not notify the person who performs them")
    func oneself() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "ann")
            try await store.comment("c", by: "ann", mentioning: ["ann"])
            try await store.tree.set("people/ann/following/ann", to: true)
            #expect(try await store.tree.get("notifications") == nil)
        }
    }

    @Test(
        "A follow in the update that ends a block notifies, whichever sides are written",
        arguments: ["blocking/ann/bob", "blocked/bob/ann"], ["people/bob/following/ann", "followers/ann/bob"])
    func unblocked(block: String, follow: String) async throws {
        try await NotificationStore.run { store in
            try await store.tree.set(try TreePath(block), to: true)
            var update = MultiPathUpdate()
            update[try TreePath(block)] = nil
            update[try TreePath(follow)] = true
            try await store.tree.update(update)
            #expect(try await store.list(of: "ann") == ["follow bob"])
        }
    }

    @Test(
        "People who have blocked one another do not notify one another",
        arguments: ["blocking/ann/bob", "blocked/bob/ann", "blocking/bob/ann", "blocked/ann/bob"])
    func blocked(path: String) async throws {
        try await NotificationStore.run { store in
            try await store.tree.set(try TreePath(path), to: true)
            try await store.like("p", by: "bob")
            try await store.comment("c", by: "bob", mentioning: ["ann", "cat"])
            try await store.comment("d", on: "q", by: "cat", mentioning: ["ann"])
            try await store.tree.set("posts/r", to: ["author": ["uid": "bob"], "mentions": ["0": ["uid": "ann"]]])
            try await store.tree.set("people/bob/following/ann", to: true)
            #expect(try await store.list(of: "ann") == ["mention cat"])
            #expect(try await store.list(of: "cat") == ["mention bob"])
        }
    }

    @Test("An unlike removes the notification, and a like again within a day creates none")
    func unlike() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "bob")
            try await store.like("p", by: "bob", false)
            #expect(try await store.tree.get("notifications") == nil)
            #expect(try await store.unread(of: "ann") == 0)
            store.clock.advance(by: .seconds(23 * 3600))
            try await store.like("p", by: "bob")
            #expect(try await store.list(of: "ann").isEmpty)
            try await store.like("p", by: "bob", false)
            store.clock.advance(by: .seconds(2 * 3600))
            try await store.like("p", by: "bob")
            #expect(try await store.list(of: "ann") == ["like bob"])
        }
    }

    @Test(
        "Either side of a follow notifies, and so do both in one update, once",
        arguments: [
            ["people/bob/following/ann"], ["followers/ann/bob"], ["people/bob/following/ann", "followers/ann/bob"],
        ])
    func follow(paths: [String]) async throws {
        try await NotificationStore.run { store in
            func write(_ value: TreeValue?) async throws {
                var update = MultiPathUpdate()
                for path in paths { update[try TreePath(path)] = value }
                try await store.tree.update(update)
            }
            try await write(true)
            #expect(try await store.list(of: "ann") == ["follow bob"])
            #expect(try await store.list(of: "bob").isEmpty)
            try await write(nil)
            #expect(try await store.list(of: "ann").isEmpty)
            #expect(try await store.unread(of: "ann") == 0)
        }
    }

    @Test("B19, 26: A comment notifies the post's author, and each mentioned person once")
    func comment() async throws {
        try await NotificationStore.run { store in
            try await store.comment("c", by: "bob", mentioning: ["cat", "cat", "ann", "bob", "not a user!"])
            #expect(try await store.list(of: "ann") == ["comment bob"])
            #expect(try await store.list(of: "cat") == ["mention bob"])
            #expect(try await store.list(of: "bob").isEmpty)
            let row = try #require(try await store.tree.children(of: "notifications/cat").first?.value)
            #expect(row["post"] == "p" && row["comment"] == "c")
        }
    }

    @Test("26: An edited comment notifies newly mentioned people only")
    func edited() async throws {
        try await NotificationStore.run { store in
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set("comments/p/c/text", to: "hi again")
            try await store.comment("c", by: "bob", mentioning: ["cat", "dan"])
            #expect(try await store.list(of: "ann") == ["comment bob"])
            #expect(try await store.list(of: "cat") == ["mention bob"])
            #expect(try await store.list(of: "dan") == ["mention bob"])
            try await store.tree.set("comments/p/c/mentions/1", to: nil)
            #expect(try await store.list(of: "dan").isEmpty)
            try await store.tree.set("comments/p/c/mentions/1", to: ["uid": "dan"])
            #expect(try await store.list(of: "dan").isEmpty)
        }
    }

    @Test("Deletions delete their notifications", arguments: ["comments/p/c", "comments/p", "comments"])
    func deletedComment(path: String) async throws {
        try await NotificationStore.run { store in
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set(try TreePath(path), to: nil)
            #expect(try await store.tree.get("notifications") == nil)
            #expect(try await store.tree.get("unread") == nil)
        }
    }

    @Test("A comment notifies a limited number of people, however often it is edited")
    func manyMentions() async throws {
        try await NotificationStore.run { store in
            for round in 0..<8 {
                try await store.comment("c", by: "bob", mentioning: (0..<30).map { "u\(round)-\($0)" })
            }
            // The last mentions stay, of those within the limit.
            #expect(try await store.tree.keys(of: "notifications").count <= 51)
            #expect(try await store.tree.keys(of: NotificationNodes.notedComment() / "p" / "c").count == 50)
            try await store.tree.set("comments/p/c", to: nil)
            #expect(try await store.tree.get("notifications") == nil)
        }
    }

    @Test(
        "A large update, such as an import, does not notify",
        arguments: [
            ("likes/p", ["bob": 1]), ("likes", ["p": ["bob": 1]]), ("followers/ann", ["bob": true]),
            ("people/bob", ["full_name": "Bob", "following": ["ann": true]]),
            ("comments/p", ["c": ["author": ["uid": "bob"], "text": "x"]]),
        ] as [(String, TreeValue)])
    func imported(path: String, value: TreeValue) async throws {
        try await NotificationStore.run { store in
            try await store.tree.set(try TreePath(path), to: value)
            #expect(try await store.tree.get("notifications") == nil)
        }
    }

    @Test("A mention without a person creates no notification")
    func strange() async throws {
        try await NotificationStore.run { store in
            let long = try TreeKey(String(repeating: "x", count: 768))
            for path in ["likes" / "p" / long, "likes" / long / "bob", "likes/p/not a user!", "likes/gone/bob"]
                as [TreePath]
            {
                try await store.tree.set(path, to: 1)
            }
            try await store.tree.set("people" / "bob" / "following" / long, to: true)
            try await store.tree.set("people" / long / "following" / "ann", to: true)
            try await store.tree.set("comments/p/c", to: "text")
            try await store.tree.set("comments/p/d", to: ["author": ["uid": 5], "mentions": ["0": ["uid": "cat"]]])
            try await store.tree.set("comments/gone/d", to: ["author": ["uid": "bob"]])
            #expect(try await store.tree.get("notifications") == nil)
            // A long id of a comment is valid.
            try await store.tree.set("comments" / "p" / long, to: ["author": ["uid": "bob"]])
            #expect(try await store.list(of: "ann") == ["comment bob"])
        }
    }

    @Test("The newest notifications are kept, and the count with them")
    func limit() async throws {
        try await NotificationStore.run { store in
            for number in 0..<520 { try await store.like("p", by: "u\(number)") }
            let rows = try await store.tree.children(of: "notifications/ann")
            #expect(rows.count == 500)
            #expect(rows.first?.value["actor"]?["uid"] == "u20")
            #expect(try await store.unread(of: "ann") == 500)
            #expect(try await store.tree.keys(of: NotificationNodes.unreadID(try #require(UserID("ann")))).count == 500)
            // Removing a notification that no longer exists changes nothing.
            try await store.like("p", by: "u3", false)
            #expect(try await store.unread(of: "ann") == 500)
        }
    }

    @Test("Likes are dropped first, then the busiest person's rows: others' stay", arguments: ["likes", "comments"])
    func importance(flood: String) async throws {
        try await NotificationStore.run { store in
            let ann = try #require(UserID("ann"))
            _ = try await store.announcements.publish("a letter", to: [ann])
            try await store.comment("c", by: "bob")
            for number in 0..<505 {
                if flood == "likes" {
                    try await store.like("p", by: "u\(number)")
                } else {
                    try await store.comment("x\(number)", by: "eve")
                }
            }
            let list = try await store.list(of: "ann")
            #expect(list.count == 500)
            #expect(list.contains("comment bob") && list.contains { $0.hasPrefix("announcement") }, "\(flood)")
            #expect(try await store.unread(of: "ann") == 500)
        }
    }

    @Test("Clients cannot write the number of unread notifications; reading them changes it")
    func unreadNumber() async throws {
        try await NotificationStore.run { store in
            try await store.like("p", by: "bob")
            try await store.like("p", by: "cat")
            try await store.tree.set("unread/ann", to: 17)
            #expect(try await store.unread(of: "ann") == 2)
            let first = try #require(try await store.tree.keys(of: "notifications/ann").first)
            try await store.tree.set("notifications" / "ann" / first / "unread", to: nil)
            #expect(try await store.unread(of: "ann") == 1)
            #expect(try await store.list(of: "ann") == ["like bob (read)", "like cat"])
            try await store.tree.set("notifications/ann", to: nil)
            #expect(try await store.unread(of: "ann") == 0)
        }
    }

    @Test("New notifications follow those that another store has numbered higher")
    func foreignPositions() async throws {
        try await NotificationStore.run { store in
            let high = PostPosition(sequence: 1_000_000, number: 3).key
            try await store.tree.set("notifications/ann", to: .object([high: ["kind": "like", "unread": true]]))
            try await store.like("p", by: "bob")
            try await store.like("p", by: "cat")
            #expect(try await store.list(of: "ann") == ["like -", "like bob", "like cat"])
            #expect(try await store.unread(of: "ann") == 3)
        }
    }

    @Test("Concurrent actions of many people are counted exactly")
    func concurrent() async throws {
        try await NotificationStore.run { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        try await store.like("p", by: "u\(number)")
                        if number % 3 == 0 { try await store.like("p", by: "u\(number)", false) }
                        if number % 3 == 1 {
                            try await store.comment("c\(number)", by: "u\(number)", mentioning: ["cat"])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let rows = try await store.list(of: "ann")
            #expect(rows.count == 60 && Set(rows).count == 60)
            #expect(try await store.unread(of: "ann") == 60)
            #expect(try await store.unread(of: "cat") == 20)
        }
    }
}
