import Model
import TestSupport
import Testing
import TreeModel

@testable import Rules

@Suite("Presets of rules: who sees and writes what") struct RulesPresetTests {
    /// The people who write or read. Anna is the author of P1; Olga owns class c, which Paul reads, and so does an
    /// anonymous account; Otto owns class d.
    enum Somebody: String, CaseIterable, Sendable {
        case stranger, guest, mia, anna, olga, paul, otto, admin

        var subject: RulesSubject {
            let provider: JSONValue = self == .guest ? "anonymous" : "password"
            var token: JSONValue = [
                "name": .string(rawValue), "firebase": ["sign_in_provider": provider, "identities": .object([:])],
            ]
            if self == .admin { token["admin"] = true }
            let auth: JSONValue = ["uid": .string(rawValue), "provider": provider, "token": token]
            return RulesSubject(auth: self == .stranger ? nil : auth, now: RulesPresetTests.now)
        }
    }

    typealias Allowed = Set<Somebody>

    static let now: Timestamp = 1_795_329_600_000
    private static let everybody = Set(Somebody.allCases)
    private static let members = everybody.subtracting([.stranger, .guest])

    private static func author(_ uid: Somebody) -> JSONValue {
        ["uid": .string(uid.rawValue), "full_name": .string(uid.rawValue)]
    }

    private static func post(by uid: Somebody, for audiences: JSONValue? = nil) -> JSONValue {
        var post: JSONValue = [
            "author": author(uid), "timestamp": .integer(Int(now.milliseconds)), "text": "A #cat",
        ]
        post["audiences"] = audiences
        return post
    }

    private static func comment(by uid: Somebody) -> JSONValue {
        ["author": author(uid), "timestamp": .integer(Int(now.milliseconds)), "text": "Nice"]
    }

    private static let state: JSONValue = [
        "people": [
            "anna": ["full_name": "anna", "bio": "Paints.", "posts": ["P1": true]], "guest": ["full_name": "guest"],
            "mia": ["full_name": "mia"],
        ],
        "posts": ["P1": post(by: .anna)], "comments": ["P1": ["C1": comment(by: .anna)]], "likes": ["P1": ["anna": 5]],
        "followers": ["anna": ["mia": true]], "hashtags": ["cat": ["P1": true]],
        "stats": ["posts": ["P1": ["likes": 1]], "people": ["anna": ["posts": 1]]],
        "announcements": ["A1": ["text": "x"]],
        "audiences": [
            "c": [
                "name": "7b", "kind": "class", "members": ["olga": "owner", "paul": "reader", "guest": "reader"],
            ],
            "d": ["name": "8a", "kind": "class", "members": ["otto": "owner"]],
        ],
        "audience_posts": ["R1": post(by: .olga, for: ["c": true])], "stories": ["c": ["R1": post(by: .olga)]],
        "feed": ["guest": ["P1": true], "anna": ["P1": true]], "notifications": ["guest": ["n": ["kind": "like"]]],
    ]

    // MARK: The database

    typealias Read = (path: String, public: Allowed, members: Allowed, classroom: Allowed)

    static let reads: [Read] = [
        ("posts", everybody, members, [.admin]), ("posts/P1", everybody, members, [.anna, .admin]),
        ("posts/none", everybody, members, [.admin]), ("people", everybody, members, [.admin]),
        ("people/anna", everybody, members, [.anna, .admin]),
        ("people/anna/full_name", everybody, members, members),
        ("people/anna/bio", everybody, members, [.anna, .admin]),
        ("people/guest", everybody, members, [.admin]), ("comments/P1", everybody, members, [.anna, .admin]),
        ("comments", everybody, members, [.admin]), ("likes/P1", everybody, members, [.anna, .admin]),
        ("followers/anna", everybody, members, [.anna, .admin]), ("hashtags/cat", everybody, members, [.admin]),
        ("stats/posts/P1", everybody, members, [.anna, .admin]),
        ("stats/people/anna", everybody, members, [.anna, .admin]), ("stats", everybody, members, [.admin]),
        ("announcements", everybody, members, members),
        ("stories/c", [.olga, .paul, .guest, .admin], [.olga, .paul, .admin], [.olga, .paul, .admin]),
        ("stories/c/R1", [.olga, .paul, .guest, .admin], [.olga, .paul, .admin], [.olga, .paul, .admin]),
        ("audiences/c", [.olga, .paul, .guest, .admin], [.olga, .paul, .admin], [.olga, .paul, .admin]),
        ("audiences", [.admin], [.admin], [.admin]), ("stories", [.admin], [.admin], [.admin]),
        ("audience_posts/R1", [.olga, .admin], [.olga, .admin], [.olga, .admin]),
        ("feed/anna", [.anna, .admin], [.anna, .admin], [.anna, .admin]),
    ]
    // What is an anonymous account's own.
    static let ownReads: [Read] = [
        "feed", "notifications", "memberships", "unread", "privacy", "blocking", "blocked", "notification_tokens",
    ].map { ("\($0)/guest", [.guest, .admin], [.admin], [.admin]) }

    @Test("A read is allowed to these people, and to nobody else", arguments: reads + ownReads)
    func read(row: Read) throws {
        let tree = try JSONRulesTree(Self.state)
        for (preset, allowed) in [
            (RulesPreset.public, row.public), (.members, row.members), (.classroom, row.classroom),
        ] {
            let rules = try RulesDocument(preset.database)
            let path = row.path.split(separator: "/").map(String.init)
            let found = try Somebody.allCases.filter {
                try rules.judgeRead(at: path, by: $0.subject, in: tree.data).isAllowed
            }
            #expect(Set(found) == allowed, "\(preset): \(row.path)")
        }
    }

    @Test("People may list their own posts in a classroom, and no others")
    func ownPosts() throws {
        let (rules, tree) = (try RulesDocument(RulesPreset.classroom.database), try JSONRulesTree(Self.state))
        func mayList(_ query: RulesQuery, _ somebody: Somebody) throws -> Bool {
            try rules.judgeRead(at: ["posts"], matching: query, by: somebody.subject, in: tree.data).isAllowed
        }
        let own = RulesQuery(order: .child("author/uid"), equalTo: .string("anna"))
        #expect(try Somebody.allCases.filter { try mayList(own, $0) } == [.anna, .admin])
        for query in [
            RulesQuery(order: .child("author/uid"), startAt: .string("anna"), endAt: .string("anna")),
            RulesQuery(order: .child("text"), equalTo: .string("anna")),
            RulesQuery(order: .key, equalTo: .string("anna")),
            RulesQuery(order: .child("author/uid")),
        ] {
            #expect(try Somebody.allCases.filter { try mayList(query, $0) } == [.admin])
        }
        #expect(try !mayList(RulesQuery(order: .child("author/uid"), equalTo: .null), .stranger))
    }

    typealias Write = (
        name: String, update: [String: JSONValue], public: Allowed, members: Allowed, classroom: Allowed
    )

    private static let time = JSONValue.integer(Int(now.milliseconds))

    static let writes: [Write] = [
        ("a post", ["posts/P9": post(by: .mia)], [.mia], [.mia], [.mia]),
        ("a post of an anonymous account", ["posts/P9": post(by: .guest)], [.guest], [], []),
        ("the end of a post", ["posts/P1": .null], [.anna, .admin], [.anna, .admin], [.anna, .admin]),
        ("a comment", ["comments/P1/C9": comment(by: .mia)], [.mia], [.mia], []),
        ("a comment on one's own post", ["comments/P1/C9": comment(by: .anna)], [.anna], [.anna], [.anna]),
        ("a comment of an anonymous account", ["comments/P1/C9": comment(by: .guest)], [.guest], [], []),
        ("a like", ["likes/P1/mia": time], [.mia, .admin], [.mia, .admin], []),
        ("a like of an anonymous account", ["likes/P1/guest": time], [.guest, .admin], [.admin], []),
        ("a flag", ["postFlags/P1/mia": true], [.mia, .admin], [.mia, .admin], []),
        (
            "a follow", ["people/mia/following/anna": true], [.mia, .admin], [.mia, .admin], [.mia, .admin]
        ),
        ("a profile", ["people/mia/bio": "x"], [.mia, .admin], [.mia, .admin], [.mia, .admin]),
        ("a profile of an anonymous account", ["people/guest/bio": "x"], [.guest, .admin], [.admin], [.admin]),
        ("the end of an anonymous account's profile", ["people/guest": .null], [.guest, .admin], [.admin], [.admin]),
        ("another's post in one's feed", ["feed/mia/P1": true], [.mia, .admin], [.mia, .admin], []),
        ("a post for a class", ["audience_posts/R9": post(by: .olga, for: ["c": true])], [.olga], [.olga], [.olga]),
        ("a post of a reader", ["audience_posts/R9": post(by: .paul, for: ["c": true])], [], [], []),
        ("a post for another class", ["audience_posts/R9": post(by: .otto, for: ["c": true])], [], [], []),
        (
            "the end of a class's post", ["audience_posts/R1": .null], [.olga, .admin], [.olga, .admin],
            [.olga, .admin]
        ),
        (
            "a member of a class", ["audiences/c/members/mia": "reader"], [.olga, .admin], [.olga, .admin],
            [.olga, .admin]
        ),
        (
            "oneself in a class", ["audiences/d/members/mia": "reader"], [.otto, .admin], [.otto, .admin],
            [.otto, .admin]
        ),
        ("a hashtag", ["hashtags/cat/P9": true], [.admin], [.admin], [.admin]),
    ]

    @Test("A write is allowed to these people, and to nobody else", arguments: writes)
    func write(row: Write) throws {
        for (preset, allowed) in [
            (RulesPreset.public, row.public), (.members, row.members), (.classroom, row.classroom),
        ] {
            let rules = try RulesDocument(preset.database)
            let before = try JSONRulesTree(Self.state)
            var after = before
            for (path, value) in row.update { try after.set(path.split(separator: "/").map(String.init), to: value) }
            let found = try Somebody.allCases.filter { somebody in
                try row.update.keys.allSatisfy { path in
                    try rules.judgeWrite(
                        at: path.split(separator: "/").map(String.init), by: somebody.subject, before: before.data,
                        after: after.data
                    ).isAllowed
                }
            }
            #expect(Set(found) == allowed, "\(preset): \(row.name)")
        }
    }

    // MARK: Files

    typealias File = (
        operation: StorageOperation, name: String, public: Allowed, members: Allowed, classroom: Allowed
    )

    static let files: [File] = [
        (.get, "anna/rendition/P1/a.jpg", everybody, members, [.anna, .admin]),
        (.get, "guest/rendition/P1/a.jpg", everybody, members, [.admin]),
        (.get, "anna/original/P1/a.jpg", [.anna, .admin], [.anna, .admin], [.anna, .admin]),
        (.get, "anna/full/P1/a.jpg", everybody, members, [.anna, .admin]),
        (.get, "anna/thumb/P1/a.jpg", everybody, members, [.anna, .admin]),
        (.get, "anna/other/P1/a.jpg", [], [], []),
        (.list, "anna/full/P1", [.anna, .admin], [.anna, .admin], [.anna, .admin]),
        (.list, "guest", [.guest, .admin], [.admin], [.admin]),
        (.create, "anna/full/P1/a.jpg", [.anna, .admin], [.anna, .admin], [.anna, .admin]),
        (.create, "guest/full/P1/a.jpg", [.guest, .admin], [.admin], [.admin]),
        (.delete, "anna/thumb/P1/a.jpg", [.anna, .admin], [.anna, .admin], [.anna, .admin]),
        (.delete, "guest/thumb/P1/a.jpg", [.guest, .admin], [.admin], [.admin]),
    ]

    @Test("An operation on a file is allowed to these people, and to nobody else", arguments: files)
    func file(row: File) throws {
        let resource = StorageResource(name: row.name, bucket: "b", size: 10, contentType: "image/jpeg")
        for (preset, allowed) in [
            (RulesPreset.public, row.public), (.members, row.members), (.classroom, row.classroom),
        ] {
            let rules = try StorageRules(preset.storage)
            let found = Somebody.allCases.filter { somebody in
                rules.judge(
                    row.operation, of: row.name, in: "b", by: somebody.subject,
                    resource: row.operation == .create ? nil : resource,
                    newResource: row.operation == .create ? resource : nil
                ).isAllowed
            }
            #expect(Set(found) == allowed, "\(preset): \(row.operation) \(row.name)")
        }
    }

    @Test("A user whose token does not come from Firebase is a member")
    func foreign() throws {
        let auth: JSONValue = ["uid": "mia", "provider": "custom", "token": ["sub": "mia"]]
        let subject = RulesSubject(auth: auth, now: Self.now)
        let tree = try JSONRulesTree(Self.state)
        let rules = try RulesDocument(RulesPreset.members.database)
        #expect(try rules.judgeRead(at: ["posts"], by: subject, in: tree.data).isAllowed)
        let name = "anna/rendition/P1/a.jpg"
        let resource = StorageResource(name: name, bucket: "b", size: 10, contentType: "image/jpeg")
        let verdict = try StorageRules(RulesPreset.members.storage).judge(
            .get, of: name, in: "b", by: subject, resource: resource, newResource: nil)
        #expect(verdict.isAllowed)
    }

    // MARK: The texts

    @Test("A new store has the preset public; the name of a preset changes nothing", arguments: RulesPreset.allCases)
    func names(preset: RulesPreset) throws {
        #expect(DefaultRules.database == RulesPreset.public.database)
        #expect(DefaultRules.storage == RulesPreset.public.storage)
        let marked = preset.marked(preset.database)
        #expect(marked.hasPrefix("// The preset \"\(preset.rawValue)\".\n"))
        #expect(try RulesDocument(marked).changes(since: RulesDocument(preset.database)).isEmpty)
        #expect(throws: Never.self) { _ = try StorageRules(preset.marked(preset.storage)) }
    }
}
