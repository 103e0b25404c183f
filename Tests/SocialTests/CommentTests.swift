import API
import Access
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Comments")
struct CommentTests {
    private let post: PostID
    private let (ann, bob, eve): (UserID, UserID, UserID)

    init() throws {
        post = try #require(PostID("-OaBcDeFgHiJkLmNoPqR"))
        (ann, bob, eve) = (
            try #require(UserID("ann")), try #require(UserID("bob")), try #require(UserID("eve"))
        )
    }

    /// Runs a body with a store with a post of Bob's and a profile of Ann's.
    private func withComments(_ body: (Comments, TreeStore) async throws -> Void) async throws {
        let tree = try await TreeStore(
            engine: MemoryEngine(), derivations: SocialDerivations.strata, isMaintained: false, clock: { 1000 })
        try await tree.set(PostNodes.post(post), to: ["timestamp": 1, "text": "x", "author": ["uid": "bob"]])
        try await tree.set("people/ann", to: ["full_name": "Ann", "profile_picture": "/a.jpg"])
        try await body(Comments(tree, ids: PushIDGenerator()), tree)
        await tree.close()
    }

    private func identity(_ uid: String) -> Identity { .user(User(uid: uid, auth: ["uid": .string(uid)])) }

    @Test("A comment has its author's name and picture and the time of its commit, which also counts it")
    func add() async throws {
        try await withComments { comments, tree in
            let (comment, token) = try await comments.add(try CommentText(" Hello \n"), by: ann, to: post)
            #expect(
                try await tree.get(ReactionNodes.comment(post) / comment.id) == [
                    "author": ["uid": "ann", "full_name": "Ann", "profile_picture": "/a.jpg"], "text": "Hello",
                    "timestamp": 1000,
                ])
            #expect(PostID(comment.id.string) != nil && comment.fullName == "Ann" && comment.edited == nil)
            #expect(try await tree.token == token, "all of it is one change")
            #expect(try await tree.get(ReactionNodes.stats(post) / "comments") == 1)
            #expect(try await tree.get(ReactionNodes.commented(ann) / post.key) == [comment.id: true])
            let other = try await comments.add(try CommentText("x"), by: eve, to: post).comment
            #expect(other.fullName == "eve" && other.profilePicture == nil && other.id > comment.id)
        }
    }

    static let texts: [(text: String, isRight: Bool)] = [
        ("", false), (" \n\t ", false), ("x", true), (String(repeating: "x", count: 1999), true),
        (String(repeating: "x", count: 2000), false), (" " + String(repeating: "👨‍👩‍👧‍👦", count: 1000) + " ", true),
        (String(repeating: "👨‍👩‍👧‍👦", count: 2000), false), ("a\u{0}b", false), ("a\u{1B}[2J", false), ("a\r\n\tb", true),
    ]

    @Test("23: A comment has 1 to 1,999 characters", arguments: texts)
    func lengths(text: String, isRight: Bool) throws {
        if isRight {
            _ = try CommentText(text)
        } else {
            let failure = #expect(throws: Failure.self) { try CommentText(text) }
            #expect(failure?.code == .badText)
        }
    }

    @Test("24: Only the author changes a comment; the time of a real change is noted")
    func edit() async throws {
        try await withComments { comments, tree in
            let first = try await comments.add(try CommentText("Hello"), by: ann, to: post)
            let id = first.comment.id
            let same = try await comments.edit(id, on: post, to: try CommentText("Hello "), by: ann)
            #expect(same.comment == first.comment && same.token == first.token)
            let claim = MentionSpan.Claim(uid: "ann", start: 0, length: 2)
            let changed = try await comments.edit(id, on: post, to: try CommentText("Hi", mentions: [claim]), by: ann)
            #expect(changed.comment.text == "Hi" && changed.comment.edited == 1000)
            #expect(changed.comment.mentions.map(\.characterLength) == [2])
            let last = try await comments.edit(id, on: post, to: try CommentText("Hi"), by: ann).comment
            #expect(last.mentions.isEmpty && last.edited == 1000)
            let text = try CommentText("Ha")
            for other in [bob, eve] {
                let failure = await #expect(throws: Failure.self) {
                    try await comments.edit(id, on: post, to: text, by: other)
                }
                #expect(failure?.code == .notAllowed)
            }
            #expect(try await tree.get(ReactionNodes.stats(post) / "comments") == 1)
        }
    }

    @Test("24: A comment is deleted once, by its author, the post's author or an admin, and by no other person")
    func remove() async throws {
        try await withComments { comments, tree in
            let text = try CommentText("Hello")
            for somebody in [identity("ann"), identity("bob"), .admin] {
                let id = try await comments.add(text, by: ann, to: post).comment.id
                for (other, code) in [(identity("eve"), ErrorCode.notAllowed), (.anonymous, .permissionDenied)] {
                    let failure = await #expect(throws: Failure.self) {
                        try await comments.remove(id, from: post, by: other)
                    }
                    #expect(failure?.code == code)
                }
                let token = try await comments.remove(id, from: post, by: somebody)
                #expect(try await tree.token == token)
                #expect(try await tree.get("comments") == nil)
                #expect(try await tree.get(ReactionNodes.commented(ann)) == nil)
                #expect(try await tree.get(ReactionNodes.stats(post)) == nil)
                let again = await #expect(throws: Failure.self) {
                    try await comments.remove(id, from: post, by: somebody)
                }
                #expect(again?.code == .notFound)
            }
        }
    }

    @Test("A missing post cannot be commented on, and a missing comment cannot be changed")
    func missing() async throws {
        try await withComments { comments, tree in
            let (missing, text) = (try #require(PostID("-OaBcDeFgHiJkLmNoPqS")), try CommentText("x"))
            let work: [() async throws -> Void] = [
                { _ = try await comments.add(text, by: ann, to: missing) },
                { _ = try await comments.edit("c", on: missing, to: text, by: ann) },
                { _ = try await comments.edit("c", on: post, to: text, by: ann) },
                { _ = try await comments.page(of: missing, CommentPage.Selection(limit: 1)) },
                { _ = try await comments.comment("c", on: post, for: nil) },
            ]
            for work in work {
                let failure = await #expect(throws: Failure.self) { try await work() }
                #expect(failure?.code == .notFound)
            }
            #expect(try await tree.get("comments") == nil)
        }
    }

    @Test("A block in either direction prevents comments and changes of comments", arguments: [0, 1])
    func blocked(by index: Int) async throws {
        try await withComments { comments, tree in
            let text = try CommentText("x")
            let id = try await comments.add(text, by: ann, to: post).comment.id
            let (blocker, other) = index == 0 ? (ann, bob) : (bob, ann)
            try await tree.set(PeopleNodes.blocking(blocker) / other.key, to: true)
            let changed = try CommentText("y")
            for work in [
                { _ = try await comments.add(text, by: ann, to: post) },
                { _ = try await comments.edit(id, on: post, to: changed, by: ann) },
            ] {
                let failure = await #expect(throws: Failure.self) { try await work() }
                #expect(failure?.code == .blocked)
            }
            _ = try await comments.remove(id, from: post, by: identity("ann"))
            _ = try await comments.add(text, by: bob, to: post)
        }
    }

    @Test("A mentioned person must exist")
    func mentions() async throws {
        try await withComments { comments, tree in
            func text(_ uid: String) throws -> CommentText {
                try CommentText("Hello @Ann", mentions: [MentionSpan.Claim(uid: uid, start: 6, length: 4)])
            }
            let right = try text("ann")
            let comment = try await comments.add(right, by: bob, to: post).comment
            #expect(comment.mentions == right.mentions)
            #expect(
                try await tree.get(ReactionNodes.comment(post) / comment.id / "mentions") == [
                    "0": ["uid": "ann", "start": 6, "length": 4]
                ])
            let wrong = try text("nobody")
            for work in [
                { _ = try await comments.add(wrong, by: bob, to: post) },
                { _ = try await comments.edit(comment.id, on: post, to: wrong, by: bob) },
            ] {
                let failure = await #expect(throws: Failure.self) { try await work() }
                #expect(failure?.code == .badMention && failure?.message.contains("nobody") == true)
            }
        }
    }

    @Test(
        "P25, B4, 25: Pages have every comment once, in either order, and report whether there are more",
        arguments: [true, false])
    func pages(isNewestFirst: Bool) async throws {
        try await withComments { comments, tree in
            var expected: [String] = []
            for number in 0..<7 {
                _ = try await comments.add(try CommentText("c\(number)"), by: ann, to: post)
                expected.append("c\(number)")
            }
            // Malformed records are skipped, wherever they are.
            for key in ["!", "-zz", "zz"] as [TreeKey] {
                try await tree.set(ReactionNodes.comment(post) / key, to: "junk")
            }
            if isNewestFirst { expected.reverse() }
            for limit in [1, 3, 6, 7, 8] {
                var (seen, next, skipped): ([String], TreeKey?, Int) = ([], nil, 0)
                repeat {
                    let page = try await comments.page(
                        of: post,
                        CommentPage.Selection(
                            after: isNewestFirst ? nil : next, before: isNewestFirst ? next : nil,
                            isNewestFirst: isNewestFirst, limit: limit))
                    #expect(page.comments.count == limit || page.next == nil)
                    #expect(!page.comments.isEmpty)
                    seen += page.comments.map(\.text)
                    skipped += page.skipped.count
                    next = page.next
                } while next != nil
                #expect(seen == expected && skipped == 3)
            }
        }
    }

    @Test("A page is full although hundreds of records before it are not comments")
    func junk() async throws {
        try await withComments { comments, tree in
            var update = MultiPathUpdate()
            for number in 0..<900 {
                update[ReactionNodes.comment(post) / TreeKey(unchecked: "!\(number)")] = .integer(1)
            }
            try await tree.update(update)
            _ = try await comments.add(try CommentText("x"), by: ann, to: post)
            let page = try await comments.page(of: post, CommentPage.Selection(limit: 1))
            #expect(page.comments.map(\.text) == ["x"] && page.next == nil && page.skipped.count == 900)
        }
    }

    static let records: [(record: TreeValue, fault: String?)] = [
        (["text": "x", "author": ["uid": "a"], "timestamp": 5], nil),
        (["text": "x", "author": ["uid": "a"], "timestamp": 5, "edited": "junk", "mentions": "junk"], nil),
        (["text": "x", "author": ["uid": "a", "full_name": 5], "timestamp": 1.5], nil),
        ("junk", "it is no object"), (["author": ["uid": "a"], "timestamp": 5], "it has no text"),
        (["text": 5, "author": ["uid": "a"], "timestamp": 5], "it has no text"),
        (["text": "x", "author": "a", "timestamp": 5], "its author has no uid"),
        (["text": "x", "author": ["uid": ""], "timestamp": 5], "its author has no uid"),
        (["text": "x", "author": ["uid": "a"]], "its timestamp is no time in milliseconds"),
        (["text": "x", "author": ["uid": "a"], "timestamp": 1e300], "its timestamp is no time in milliseconds"),
    ]

    @Test("Every record that can be shown is a comment, also one of a client of the database", arguments: records)
    func shape(record: TreeValue, fault: String?) throws {
        #expect(Comment.fault(of: record) == fault)
        #expect((Comment("c", of: post.key, record, nil) == nil) == (fault != nil))
    }

    @Test(
        "FriendlyPix 12: A deleted person's comments are deleted, by the comment's own key; others' comments stay")
    func deletedPerson() async throws {
        try await withComments { comments, tree in
            for uid in [ann, bob, ann] { _ = try await comments.add(try CommentText("by \(uid)"), by: uid, to: post) }
            let raw: TreeValue = ["text": "by ann", "author": ["uid": "ann"], "timestamp": 5]
            try await tree.set(ReactionNodes.comment(post) / "raw", to: raw)
            _ = try await Likes(tree).add(by: ann, to: post)
            _ = try await PersonDeletion.begin(of: ann, in: tree)
            try await FollowUpTaskWorker(tree, clock: { 1000 }, logger: Logger(label: "test")).runAll()
            let page = try await comments.page(of: post, CommentPage.Selection(limit: 10))
            #expect(page.comments.map(\.text) == ["by bob"] && page.skipped.isEmpty)
            #expect(try await tree.get("likes") == nil)
            #expect(try await tree.get(ReactionNodes.stats(post)) == ["comments": 1])
        }
    }

    private struct Added: Sendable {
        let id: TreeKey
        let token: SyncToken
    }

    @Test("Hundreds comment at once: each comment has its own id, later ones greater ones, and the counter is exact")
    func concurrent() async throws {
        try await withComments { comments, tree in
            let (texts, uids) = (try (0..<300).map { try CommentText("c\($0)") }, [ann, bob])
            let added = try await withThrowingTaskGroup(of: Added.self) { [post] group in
                for (number, text) in texts.enumerated() {
                    group.addTask {
                        let (comment, token) = try await comments.add(text, by: uids[number % 2], to: post)
                        return Added(id: comment.id, token: token)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let sorted = added.sorted { $0.id < $1.id }
            #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.id < $1.id && $0.token <= $1.token })
            #expect(try await tree.get(ReactionNodes.stats(post) / "comments") == 300)
        }
    }
}
