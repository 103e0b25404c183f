import Model
import Testing
import TreeModel

@testable import Rules

extension DefaultRulesTests {
    /// Writes of people about themselves, and reads of their own data.
    static let personal: [Transaction] = [
        (
            "a profile", ["people/anna/full_name": "Anna", "people/anna/profile_picture": "https://example.org/b.jpg"],
            [.anna, .admin]
        ),
        (
            "a profile with what is searched",
            [
                "people/anna/full_name": "Anna",
                "people/anna/_search_index": ["full_name": "anna", "reversed_full_name": "anna"],
            ], [.anna, .admin]
        ),
        ("the profile of somebody without a name", ["people/nameless/full_name": "Anonymous"], [.nameless, .admin]),
        ("another name than the token's", ["people/anna/full_name": "Ann Lée"], [.anna, .admin]),
        ("another's name", ["people/bob/full_name": "Rob"], [.bob, .admin]),
        ("a name that is no text", ["people/anna/full_name": 7], []),
        ("a name that nobody can see", ["people/anna/full_name": "  "], []),
        ("a name on two lines", ["people/anna/full_name": "Anna\nLée"], []),
        (
            "the longest name", ["people/anna/full_name": .string(String(repeating: "x", count: 199))],
            [.anna, .admin]
        ),
        ("a name too long", ["people/anna/full_name": .string(String(repeating: "x", count: 200))], []),
        (
            "a comment in a new name",
            ["people/bob/full_name": "Rob", "comments/P1/C9": comment(by: author("bob", "Rob"))],
            [.bob]
        ),
        ("a profile that is no object", ["people/anna": "x"], []),
        ("the end of a profile", ["people/anna": .null], [.anna, .admin]),
        ("a profile with more", ["people/anna/more": 1], []),
        ("a role and words", ["people/anna/role": "speaker", "people/anna/bio": "Hello."], [.anna, .admin]),
        ("too many words", ["people/anna/bio": .string(String(repeating: "x", count: 2000))], []),
        (
            "an old profile", ["people/anna/displayName": "Anna", "people/anna/photoUrl": "https://example.org/b.jpg"],
            [.anna, .admin]
        ),
        (
            "notifications", ["people/anna/notificationEnabled": true, "people/anna/notificationTokens/t:1": true],
            [.anna, .admin]
        ),
        ("a device", ["notification_tokens/anna/t:1": true], [.anna, .admin]),
        ("a device that is no mark", ["notification_tokens/anna/t:1": "x"], []),
        ("privacy", ["privacy/anna": ["data_processing": true, "content": true, "social": false]], [.anna, .admin]),
        ("more privacy", ["privacy/anna/more": true], []),
        ("privacy that is no choice", ["privacy/anna/social": "yes"], []),
        ("a hashtag", ["hashtags/cat/P2": true], [.admin]), ("a counter", ["stats/posts/P1/likes": 5], [.admin]),
        ("a notification", ["notifications/bob/n": ["text": "x"]], [.admin]),
        ("that a notification was read", ["notifications/anna/n/unread": .null], [.anna, .admin]),
        ("that it was not", ["notifications/anna/n/unread": true], [.admin]),
        ("what a notification says", ["notifications/anna/n/text": .null], [.admin]),
        ("the end of a notification", ["notifications/anna/n": .null], [.admin]),
        ("the number of unread notifications", ["unread/anna": .null], [.admin]),
        ("an announcement", ["announcements/a": ["text": "x"]], [.admin]),
        ("an admin", ["admins/eve": "eve@example.org"], [.admin]), ("something else", ["other": 1], []),
        ("everything", ["": .null], [.admin]),
    ]
}
