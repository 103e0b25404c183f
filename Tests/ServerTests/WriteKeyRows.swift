import HTTPTypes
import TestSupport
import Testing

/// A write that is sent again after others have undone it.
struct WriteKeyRow: Sendable, CustomTestStringConvertible {
    /// A request by a user; by the service's owner for nil. In its path, `{post}` and `{comment}` stand for Maria's post
    /// and Anna's comment on it.
    struct Write: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let uid: String?
        let body: String?

        init(_ method: HTTPRequest.Method, _ path: String, by uid: String?, _ body: String? = nil) {
            (self.method, self.path, self.uid, self.body) = (method, path, uid, body)
        }
    }

    /// The writes before the first request.
    var before: [Write] = []
    let first: Write
    /// The later writes, which the repetition must not undo.
    var then: [Write] = []
    /// Whether the answer to the repetition shows the present state.
    let shows: @Sendable (JSON) -> Bool

    var testDescription: String { "\(first.method) \(first.path) by \(first.uid ?? "the owner")" }

    /// Another request, for the key of the first one: with another body, or else of another kind.
    var other: Write {
        guard first.body != nil else {
            return Write(.put, "/v1/people/\(first.uid ?? "anna")/following/eve", by: first.uid)
        }
        return Write(first.method, first.path, by: first.uid, otherBody)
    }

    private var otherBody: String {
        if first.path.hasSuffix("/read") { return #"{"ids":["x"]}"# }
        if first.path.contains("/members/") { return #"{"role":"owner"}"# }
        if first.path.contains("/comments/") { return #"{"text":"zero"}"# }
        if first.path.contains("/audiences/") { return #"{"name":"zero","kind":"group"}"# }
        return #"{"full_name":"zero"}"#
    }

    private static let (post, comment) = ("/v1/posts/{post}", "/v1/posts/{post}/comments/{comment}")

    static let rows: [WriteKeyRow] =
        switches(at: post + "/likes/anna", "liked") + switches(at: "/v1/people/anna/following/maria", "following")
        + switches(at: "/v1/people/anna/blocking/jan", "blocking") + switches(at: post + "/flags/anna", "flagged")
        + switches(at: comment + "/flags/anna", "flagged") + words + people + audiences

    /// A like, a follow and the like: set and removed, and removed and set.
    private static func switches(at path: String, _ name: String) -> [WriteKeyRow] {
        let (set, remove) = (Write(.put, path, by: "anna"), Write(.delete, path, by: "anna"))
        return [
            WriteKeyRow(first: set, then: [remove]) { $0[name].bool == false && $0["created"] == .null },
            WriteKeyRow(before: [set], first: remove, then: [set]) { $0[name].bool == true },
        ]
    }

    private static let words = [
        WriteKeyRow(
            first: Write(.patch, comment, by: "anna", #"{"text":"one"}"#),
            then: [Write(.patch, comment, by: "anna", #"{"text":"two"}"#)]
        ) { $0["text"].string == "two" && $0["edited"].int != nil },
        WriteKeyRow(first: Write(.delete, comment, by: "anna")) { $0["deleted"].bool == true },
        WriteKeyRow(
            first: Write(.delete, comment, by: "maria"),
            then: [
                Write(
                    .put, "/comments/{post}/{comment}.json", by: nil,
                    #"{"author":{"uid":"anna","full_name":"anna"},"text":"again","timestamp":1}"#)
            ]
        ) { $0["deleted"].bool == true },
        WriteKeyRow(first: Write(.delete, post, by: "maria")) { $0["deleted"].bool == true },
        WriteKeyRow(first: Write(.delete, post, by: nil)) { $0["files_until"].int != nil },
    ]

    private static let people = [
        WriteKeyRow(
            first: Write(.put, "/v1/people/dan", by: "dan", #"{"full_name":"Dan","bio":"one"}"#),
            then: [Write(.put, "/v1/people/dan", by: "dan", #"{"full_name":"Daniel"}"#)]
        ) { $0["full_name"].string == "Daniel" && $0["bio"] == .null },
        WriteKeyRow(
            first: Write(.patch, "/v1/people/anna", by: "anna", #"{"bio":"one"}"#),
            then: [Write(.patch, "/v1/people/anna", by: "anna", #"{"bio":null}"#)]
        ) { $0["full_name"].string == "anna" && $0["bio"] == .null },
        WriteKeyRow(
            first: Write(.post, "/v1/people/maria/notifications/read", by: "maria", #"{"all":true}"#),
            then: [
                Write(.put, post + "/likes/jan", by: "jan"),
                Write(.post, "/v1/announcements", by: nil, #"{"text":"Dinner"}"#),
            ]
        ) { $0["unread"].int == 2 },
    ]

    private static let audiences = [
        WriteKeyRow(
            first: Write(.put, "/v1/audiences/d", by: "maria", #"{"name":"one","kind":"class"}"#),
            then: [Write(.patch, "/v1/audiences/d", by: "maria", #"{"name":"two"}"#)]
        ) { $0["name"].string == "two" && $0["role"].string == "owner" },
        WriteKeyRow(
            first: Write(.patch, "/v1/audiences/c", by: "maria", #"{"name":"one"}"#),
            then: [Write(.put, "/v1/audiences/c", by: "maria", #"{"name":"two","kind":"group"}"#)]
        ) { $0["name"].string == "two" && $0["kind"].string == "group" },
        WriteKeyRow(
            first: Write(.put, "/v1/audiences/c/members/eve", by: "maria", #"{"role":"reader"}"#),
            then: [Write(.delete, "/v1/audiences/c/members/eve", by: "maria")]
        ) { $0["role"] == .null && $0["created"] == .null },
        WriteKeyRow(
            first: Write(.delete, "/v1/audiences/c/members/jan", by: "maria"),
            then: [Write(.put, "/v1/audiences/c/members/jan", by: "maria", #"{"role":"poster"}"#)]
        ) { $0["role"].string == "poster" },
        WriteKeyRow(
            first: Write(.delete, "/v1/audiences/c/members/jan", by: "jan"),
            then: [Write(.put, "/v1/audiences/c/members/jan", by: "maria", #"{"role":"reader"}"#)]
        ) { $0["role"].string == "reader" },
        WriteKeyRow(first: Write(.delete, "/v1/audiences/c", by: "maria")) { $0["deleted"].bool == true },
        WriteKeyRow(first: Write(.delete, "/v1/audiences/c", by: nil)) { $0["id"].string == "c" },
    ]
}
