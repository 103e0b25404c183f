import Model
import TestSupport
import Testing
import TreeModel

@testable import Rules

/// The rules allow the actions of FriendlyPix's apps to the right people, and to nobody else.
@Suite struct DefaultRulesTests {
    /// The people who write or read.
    enum Somebody: String, CaseIterable, Sendable {
        case anna, bob, eve, nameless, admin, nobody

        var subject: RulesSubject {
            let token: JSONValue =
                switch self {
                case .anna: ["name": "Anna"]
                case .bob: ["name": "Bob"]
                case .eve: ["name": "Eve"]
                case .nameless, .nobody: .object([:])
                case .admin: ["name": "Admin", "admin": true]
                }
            let auth: JSONValue = ["uid": .string(rawValue), "token": token]
            return RulesSubject(auth: self == .nobody ? nil : auth, now: DefaultRulesTests.now)
        }
    }

    private static let document = Result { try RulesDocument(DefaultRules.database) }
    static let now: Timestamp = 1_795_329_600_000
    static let time = JSONValue.integer(Int(now.milliseconds))

    static func author(_ uid: String, _ name: String) -> JSONValue {
        ["uid": .string(uid), "full_name": .string(name), "profile_picture": "https://example.org/a.jpg"]
    }

    private static func post(
        by author: JSONValue, timestamp: JSONValue = time, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let fields: [String: JSONValue] = [
            "author": author, "timestamp": timestamp, "text": "A #cat", "client": "web", "full_url": "/full.jpg",
            "thumb_url": "/thumb.jpg",
            "full_storage_uri": "gs://b/anna/full/P/a.jpg", "thumb_storage_uri": "gs://b/anna/thumb/P/a.jpg",
        ]
        return .object(fields.merging(more) { $1 })
    }

    static func comment(by author: JSONValue, text: String = "Nice") -> JSONValue {
        ["author": author, "text": .string(text), "timestamp": time]
    }

    /// Anna has two posts, one with the fields that the service adds. Bob follows her, and has commented and liked.
    /// Anna has blocked Eve, and a person without a name has blocked Anna.
    static var state: JSONValue {
        let old: JSONValue = 1_700_000_000_000
        let fields: [String: JSONValue] = [
            "people": [
                "anna": ["full_name": "Anna", "posts": ["P1": true, "P2": true]],
                "bob": ["full_name": "Bob", "following": ["anna": "P1"], "notificationTokens": ["t": true]],
                "eve": ["full_name": "Eve"],
            ],
            "posts": [
                "P1": post(by: author("anna", "Anna"), timestamp: old),
                "P2": post(
                    by: author("anna", "Anna"), timestamp: old,
                    ["photos": [["width": 1, "renditions": ["full": ["url": "/x"]]]], "kind": "photo", "published": 7]),
            ],
            "feed": ["anna": ["P1": true], "bob": ["P1": true]],
            "followers": ["anna": ["bob": true]],
            "comments": ["P1": ["C1": comment(by: author("bob", "Bob"))]],
            "likes": ["P1": ["bob": 5]],
            "blocking": ["anna": ["eve": true], "nameless": ["anna": true]],
            "blocked": ["eve": ["anna": true], "anna": ["nameless": true]],
            "privacy": ["anna": ["content": true]], "hashtags": ["cat": ["P1": true]],
            "notifications": ["anna": ["n": ["text": "x", "unread": true]]], "unread": ["anna": 1],
            "stats": ["posts": ["P1": ["likes": 1]]],
        ]
        return .object(fields.merging(audienceState) { $1 })
    }

    /// Whether all paths of an update are allowed.
    private func allows(_ update: [String: JSONValue], by somebody: Somebody) throws -> Bool {
        let document = try Self.document.get()
        let before = try JSONRulesTree(Self.state)
        var after = before
        let paths = update.keys.sorted().map { $0.split(separator: "/").map(String.init) }
        for path in paths { try after.set(path, to: update[path.joined(separator: "/")] ?? .null) }
        for path in paths {
            let verdict = try document.judgeWrite(
                at: path, by: somebody.subject, before: before.data, after: after.data)
            guard verdict.isAllowed else { return false }
        }
        return true
    }

    typealias Transaction = (name: String, update: [String: JSONValue], allowed: Set<Somebody>)

    static let posting: [Transaction] = [
        (
            "a post in one update",
            ["posts/P9": post(by: author("anna", "Anna")), "people/anna/posts/P9": true, "feed/anna/P9": true], [.anna]
        ),
        ("a post alone", ["posts/P9": post(by: author("anna", "Anna"))], [.anna]),
        ("a post's entries afterwards", ["people/anna/posts/P1": true, "feed/anna/P1": true], [.anna, .admin]),
        ("a post of somebody without a name", ["posts/P9": post(by: author("nameless", "Anonymous"))], [.nameless]),
        (
            "a post in a new name",
            ["people/anna/full_name": "Ann", "posts/P9": post(by: author("anna", "Ann"))], [.anna]
        ),
        ("a post in another name", ["posts/P9": post(by: author("anna", "Bob"))], []),
        ("a post in another's name", ["posts/P9": post(by: author("bob", "Anna"))], []),
        ("a post of another time", ["posts/P9": post(by: author("anna", "Anna"), timestamp: 5)], []),
        ("a post without a time", ["posts/P9": post(by: author("anna", "Anna"), timestamp: .null)], []),
        ("a post with photos", ["posts/P9": post(by: author("anna", "Anna"), ["photos": [["width": 1]]])], []),
        ("a post of a kind", ["posts/P9": post(by: author("anna", "Anna"), ["kind": "photo"])], []),
        ("a post with a position", ["posts/P9": post(by: author("anna", "Anna"), ["published": 1])], []),
        ("a post with more", ["posts/P9": post(by: author("anna", "Anna"), ["more": 1])], []),
        ("a post of an unknown client", ["posts/P9": post(by: author("anna", "Anna"), ["client": "webx"])], []),
        (
            "a post too long",
            ["posts/P9": post(by: author("anna", "Anna"), ["text": .string(String(repeating: "x", count: 2000))])], []
        ),
        ("a post that is no object", ["posts/P9": "anna"], []),
        ("an entry without its post", ["people/anna/posts/P9": true], []),
        ("a feed entry without its post", ["feed/anna/P9": true], []),
        ("an entry for another's post", ["people/bob/posts/P1": true], []),
        ("another's feed", ["feed/bob/P1": true], [.bob, .admin]),
    ]

    static let changing: [Transaction] = [
        ("a new text", ["posts/P1/text": "B"], [.anna, .admin]),
        ("a new address", ["posts/P1/thumb_url": "/b.jpg"], [.anna, .admin]),
        (
            "a new full address", ["posts/P1/full_url": "/b.jpg", "posts/P1/full_storage_uri": "gs://b/x"],
            [.anna, .admin]
        ),
        ("a text that is no text", ["posts/P1/text": 5], []), ("a new time", ["posts/P1/timestamp": time], [.admin]),
        ("a new author", ["posts/P1/author": author("bob", "Bob")], []),
        ("a new name of the author", ["posts/P1/author": author("anna", "Anna")], [.anna]),
        ("an author that goes", ["posts/P1/author": .null], [.admin]),
        ("an author's uid that goes", ["posts/P1/author/uid": .null], [.admin]),
        ("the whole post again", ["posts/P2": post(by: author("anna", "Anna"))], []),
        ("the service's photos", ["posts/P2/photos": .null], [.admin]),
        ("a part of them", ["posts/P2/photos/0/renditions": .null], [.admin]),
        ("another width", ["posts/P2/photos/0/width": 2], [.admin]),
        ("another kind", ["posts/P2/kind": "text"], [.admin]),
        ("another position", ["posts/P2/published": .null], [.admin]),
        ("a mark of moderation", ["posts/P1/moderated": true], [.admin]),
        (
            "a deletion in one update",
            [
                "posts/P1": .null, "people/anna/posts/P1": .null, "feed/anna/P1": .null, "comments/P1": .null,
                "likes/P1": .null,
            ],
            [.anna, .admin]
        ),
        (
            "a deletion once more",
            [
                "posts/P7": .null, "people/anna/posts/P7": .null, "feed/anna/P7": .null, "comments/P7": .null,
                "likes/P7": .null,
            ],
            [.anna, .admin]
        ),
        ("a post's deletion alone", ["posts/P1": .null], [.anna, .admin]),
        ("all comments, without the post", ["comments/P1": .null], [.admin]),
        ("all likes, without the post", ["likes/P1": .null], [.admin]), ("all posts", ["posts": .null], [.admin]),
    ]

    static let social: [Transaction] = [
        ("a like", ["likes/P2/bob": time], [.bob, .admin]),
        ("one's own like", ["likes/P1/anna": time], [.anna, .admin]),
        ("a like of somebody who is blocked", ["likes/P1/eve": time], [.admin]),
        ("a like of somebody who has blocked the author", ["likes/P1/nameless": time], [.admin]),
        ("the end of a like of somebody who is blocked", ["likes/P1/eve": .null], [.eve, .admin]),
        ("an unlike", ["likes/P1/bob": .null], [.bob, .admin]),
        ("a like of another time", ["likes/P2/bob": 5], []), ("a like of nothing", ["likes/P9/bob": time], []),
        ("a comment", ["comments/P1/C9": comment(by: author("bob", "Bob"))], [.bob]),
        ("one's own comment on one's own post", ["comments/P1/C9": comment(by: author("anna", "Anna"))], [.anna]),
        ("a comment of somebody who is blocked", ["comments/P1/C9": comment(by: author("eve", "Eve"))], []),
        (
            "a comment of somebody who has blocked the author",
            ["comments/P1/C9": comment(by: author("nameless", "Anonymous"))], []
        ),
        ("a comment in another's name", ["comments/P1/C9": comment(by: author("bob", "Anna"))], []),
        ("a comment on nothing", ["comments/P9/C9": comment(by: author("bob", "Bob"))], []),
        ("a comment with more", ["comments/P1/C9/more": 1], []),
        ("a comment without an author", ["comments/P1/C9": ["text": "x", "timestamp": time]], []),
        ("a change of a comment", ["comments/P1/C1/text": "y"], [.bob, .admin]),
        ("the end of a comment", ["comments/P1/C1": .null], [.anna, .bob, .admin]),
        (
            "a change of a comment, and its time", ["comments/P1/C1/text": "y", "comments/P1/C1/edited": time],
            [.bob, .admin]
        ),
        ("a change of a comment at another time", ["comments/P1/C1/text": "y", "comments/P1/C1/edited": 5], []),
        ("a comment that was changed before it was there", ["comments/P1/C9": comment(with: ["edited": time])], []),
        (
            "a follow",
            [
                "people/nameless/following/bob": "P2", "followers/bob/nameless": true, "feed/nameless/P1": true,
                "feed/nameless/P2": true,
            ], [.nameless, .admin]
        ),
        (
            "a follow of one who has no posts", ["people/anna/following/bob": true, "followers/bob/anna": true],
            [.anna, .admin]
        ),
        ("half a follow", ["people/nameless/following/bob": true], [.nameless, .admin]),
        ("the other half", ["followers/bob/nameless": true], [.nameless, .admin]),
        ("a follow of oneself", ["people/bob/following/bob": true], []),
        ("a follow of oneself, by the other half", ["followers/bob/bob": true], []),
        ("a follow of nobody", ["people/bob/following/zoe": true], []),
        ("a follow of nobody, by the other half", ["followers/zoe/bob": true], []),
        ("a follow of who has blocked one", ["people/eve/following/anna": true, "followers/anna/eve": true], []),
        ("half a follow of who has blocked one", ["people/eve/following/anna": true], []),
        ("the other half of it", ["followers/anna/eve": true], []),
        ("a follow of whom one has blocked", ["people/anna/following/eve": true], []),
        ("the other half of that", ["followers/eve/anna": true], []),
        ("a mark that is none", ["people/bob/following/anna": 5], []),
        (
            "an unfollow", ["people/bob/following/anna": .null, "followers/anna/bob": .null, "feed/bob/P1": .null],
            [.bob, .admin]
        ),
        ("half an unfollow", ["people/bob/following/anna": .null], [.bob, .admin]),
        ("the other half of an unfollow", ["followers/anna/bob": .null], [.bob, .admin]),
        ("the feed brought up to date", ["feed/bob/P2": true, "people/bob/following/anna": "P2"], [.bob, .admin]),
        ("a block", ["blocking/bob/eve": true, "blocked/eve/bob": true], [.bob, .admin]),
        ("half a block", ["blocking/bob/eve": true], [.bob, .admin]),
        ("the other half of a block", ["blocked/eve/bob": true], [.bob, .admin]),
        ("a block of oneself", ["blocking/bob/bob": true], []),
        ("a block of oneself, by the other half", ["blocked/bob/bob": true], []),
        ("an unblock", ["blocking/anna/eve": .null, "blocked/eve/anna": .null], [.anna, .admin]),
        ("half an unblock", ["blocked/eve/anna": .null], [.anna, .admin]),
        ("a flag", ["postFlags/P1/bob": true], [.bob, .admin]),
        ("a flag of nothing", ["postFlags/P9/bob": true], []),
        ("a flag of a comment", ["commentFlags/P1/C1/eve": true], [.eve, .admin]),
        ("a flag of no comment", ["commentFlags/P1/C9/eve": true], []),
    ]

    static let transactions: [Transaction] = [posting, changing, social, mentioning, personal, audiences].flatMap(
        \.self)

    @Test("a transaction is allowed to the right people, and to nobody else", arguments: transactions)
    func transact(name: String, update: [String: JSONValue], allowed: Set<Somebody>) throws {
        for somebody in Somebody.allCases {
            #expect(try allows(update, by: somebody) == allowed.contains(somebody), "\(name), by \(somebody)")
        }
    }

    static let reads: [(path: String, allowed: Set<Somebody>)] = [
        ("people", Set(Somebody.allCases)), ("posts/P1", Set(Somebody.allCases)),
        ("comments/P1", Set(Somebody.allCases)),
        ("likes/P1/bob", Set(Somebody.allCases)), ("followers/anna", Set(Somebody.allCases)),
        ("hashtags/cat", Set(Somebody.allCases)),
        ("stats/posts", Set(Somebody.allCases)), ("feed/anna", [.anna, .admin]), ("feed", [.admin]),
        ("blocking/anna", [.anna, .admin]),
        ("blocking/anna/eve", [.anna, .eve, .admin]), ("blocked/eve", [.eve, .admin]),
        ("blocked/eve/anna", [.anna, .eve, .admin]),
        ("privacy/anna", [.anna, .admin]), ("notifications/anna", [.anna, .admin]),
        ("notification_tokens/anna", [.anna, .admin]), ("notification_tokens", [.admin]),
        ("unread/anna", [.anna, .admin]), ("unread", [.admin]), ("announcements", Set(Somebody.allCases)),
        ("postFlags/P1/bob", [.bob, .admin]), ("postFlags", [.admin]),
        ("admins", [.admin]), ("", [.admin]), ("other", [.admin]),
    ]

    @Test("a read is allowed to the right people, and to nobody else", arguments: reads + audienceReads)
    func read(path: String, allowed: Set<Somebody>) throws {
        let document = try Self.document.get()
        let data = try JSONRulesTree(Self.state).data
        let keys = path.split(separator: "/").map(String.init)
        for somebody in Somebody.allCases {
            let verdict = try document.judgeRead(at: keys, by: somebody.subject, in: data)
            #expect(verdict.isAllowed == allowed.contains(somebody), "\(path) by \(somebody)")
        }
    }

    @Test("the queries of the apps have their indexes")
    func indexes() throws {
        let root = try Self.document.get().root
        #expect(root.node(at: ["posts"])?.indexes == [.children(["author/uid"]), .children(["timestamp"])])
        #expect(
            root.node(at: ["people"])?.indexes == [
                .children(["_search_index/full_name"]), .children(["_search_index/reversed_full_name"]),
            ])
        #expect(root.node(at: ["comments", "P1"])?.indexes == [.children(["author/uid"])])
    }
}
