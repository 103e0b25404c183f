import Model
import Testing
import TreeModel

@testable import Rules

extension DefaultRulesTests {
    private static func post(
        by uid: String, _ name: String, for audiences: [String: JSONValue], _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let fields: [String: JSONValue] = [
            "author": author(uid, name), "timestamp": time, "text": "x", "audiences": .object(audiences),
        ]
        return .object(fields.merging(more) { $1 })
    }

    /// A class that belongs to Anna, where Bob posts and Eve reads; and a school where Anna posts.
    static let audienceState: [String: JSONValue] = [
        "audiences": [
            "c": ["name": "7b", "kind": "class", "members": ["anna": "owner", "bob": "poster", "eve": "reader"]],
            "s": ["name": "School", "kind": "school", "members": ["anna": "poster"]],
        ],
        "memberships": ["anna": ["c": "owner", "s": "poster"], "bob": ["c": "poster"], "eve": ["c": "reader"]],
        "audience_posts": ["R1": post(by: "anna", "Anna", for: ["c": true])],
        "stories": ["c": ["R1": ["text": "x"]]],
    ]

    private static func audience(_ members: JSONValue, kind: String = "class", _ name: String = "x") -> JSONValue {
        ["name": .string(name), "kind": .string(kind), "members": members]
    }

    static let audiences: [Transaction] = [
        ("a new audience", ["audiences/n": audience(["bob": "owner"])], [.bob, .admin]),
        (
            "a new audience with members",
            ["audiences/n": audience(["bob": "owner", "anna": "poster", "zoe": "reader"])],
            [.bob, .admin]
        ),
        ("a new audience for another", ["audiences/n": audience(["bob": "owner", "eve": "poster"])], [.bob, .admin]),
        ("a new audience of nobody's", ["audiences/n": audience(["bob": "poster"])], [.admin]),
        ("a new audience of a strange kind", ["audiences/n": audience(["bob": "owner"], kind: "x")], []),
        ("a new audience without a name", ["audiences/n": audience(["bob": "owner"], "")], []),
        ("a new audience with a strange role", ["audiences/n": audience(["bob": "owner", "eve": "king"])], []),
        ("a new audience with a strange id", ["audiences/a b": audience(["bob": "owner"])], []),
        (
            "a new audience of somebody who has blocked its maker",
            ["audiences/n": audience(["anna": "owner", "nameless": "reader"])], [.admin]
        ),
        ("another's audience as one's own", ["audiences/c": audience(["bob": "owner"])], [.anna, .admin]),
        ("the name of an audience", ["audiences/c/name": "8b"], [.anna, .admin]),
        ("the end of an audience", ["audiences/c": .null], [.anna, .admin]),
        ("a member", ["audiences/c/members/zoe": "reader"], [.anna, .admin]),
        ("a member without an id", ["audiences/c/members/a b": "reader"], []),
        ("oneself as a member", ["audiences/s/members/bob": "reader"], [.admin]),
        ("a member who has blocked the owner", ["audiences/c/members/nameless": "reader"], [.admin]),
        ("more rights for a reader", ["audiences/c/members/eve": "owner"], [.anna, .admin]),
        ("the end of a member", ["audiences/c/members/eve": .null], [.anna, .eve, .admin]),
        ("a poster who leaves", ["audiences/c/members/bob": .null], [.anna, .bob, .admin]),
        ("a membership", ["memberships/bob/s": "reader"], [.admin]),
        ("the end of a membership", ["memberships/bob/c": .null], [.admin]),
        ("a post for an audience", ["audience_posts/R9": post(by: "bob", "Bob", for: ["c": true])], [.bob]),
        (
            "a post for an audience in a new name",
            ["people/bob/full_name": "Rob", "audience_posts/R9": post(by: "bob", "Rob", for: ["c": true])], [.bob]
        ),
        ("a post for two", ["audience_posts/R9": post(by: "anna", "Anna", for: ["c": true, "s": true])], [.anna]),
        ("a post of a reader", ["audience_posts/R9": post(by: "eve", "Eve", for: ["c": true])], []),
        ("a post of a stranger", ["audience_posts/R9": post(by: "nameless", "Anonymous", for: ["c": true])], []),
        (
            "a post for an audience that one is not in",
            ["audience_posts/R9": post(by: "bob", "Bob", for: ["c": true, "s": true])], []
        ),
        ("a post for no audience", ["audience_posts/R9": post(by: "bob", "Bob", for: [:])], []),
        ("a post for what is not there", ["audience_posts/R9": post(by: "bob", "Bob", for: ["x": true])], []),
        ("a post not quite for it", ["audience_posts/R9": post(by: "bob", "Bob", for: ["c": "yes"])], []),
        (
            "a post in another's name for an audience",
            ["audience_posts/R9": post(by: "anna", "Anna", for: ["c": true])], [.anna]
        ),
        (
            "a post for an audience with a position",
            ["audience_posts/R9": post(by: "bob", "Bob", for: ["c": true], ["published": 1])], []
        ),
        (
            "the id of a public post for an audience", ["audience_posts/P1": post(by: "bob", "Bob", for: ["c": true])],
            []
        ),
        (
            "the id of an audience's post for everybody",
            ["posts/R1": ["author": author("bob", "Bob"), "timestamp": time, "text": "x"]], []
        ),
        ("one more audience for a post", ["audience_posts/R1/audiences/s": true], []),
        ("another text of an audience's post", ["audience_posts/R1/text": "y"], [.admin]),
        ("the end of an audience's post", ["audience_posts/R1": .null], [.anna, .admin]),
        ("a copy", ["stories/c/R9": ["text": "x"]], [.admin]), ("the end of a copy", ["stories/c/R1": .null], [.admin]),
    ]

    static let audienceReads: [(path: String, allowed: Set<Somebody>)] = [
        ("audiences/c", [.anna, .bob, .eve, .admin]), ("audiences/s", [.anna, .admin]), ("audiences/x", [.admin]),
        ("audiences", [.admin]), ("stories/c", [.anna, .bob, .eve, .admin]),
        ("stories/c/R1", [.anna, .bob, .eve, .admin]), ("stories/s", [.anna, .admin]), ("stories", [.admin]),
        ("audience_posts/R1", [.anna, .admin]), ("audience_posts", [.admin]), ("memberships/eve", [.eve, .admin]),
    ]
}
