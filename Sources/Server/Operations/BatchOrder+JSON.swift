import API
import Hummingbird
import Keeping
import Model
import Requests
import TreeModel
import Uploads

/// Parses the order of a post run from a request's body.
extension BatchOrder {
    /// The longest body, in bytes; a list may have several hundred thousand posts.
    private static let maxBytes = 16 << 20
    private static let maxConcurrency = 64
    private static let members = [
        "kind", "user", "since", "until", "only_missing", "only_damaged", "posts", "recipes", "concurrency", "limit",
        "switch", "rule",
    ]
    private static let example = #"{"kind": "rethumb", "user": "maria", "only_missing": true}"#

    static let schema = Schema.object(
        [
            "kind": .one(of: PostRunKind.self), "user": .any(.userID, .null), "since": .any(.moment, .null),
            "until": .any(.moment, .null), "only_missing": .any(.flag, .null), "only_damaged": .any(.flag, .null),
            "posts": .any(.list(of: .postID), .null), "recipes": .any(.list(of: .text), .null),
            "concurrency": .any(.integer(1...maxConcurrency), .null), "limit": .any(.integer(1...1_000_000), .null),
            "switch": .any(.one(of: PostRunSwitch.self), .null), "rule": .any(.text, .null),
        ], required: ["kind"]
    ).named("JobOrder")

    /// Parses an order.
    ///
    /// - Throws: `Failure`: `bad_request`, `bad_user`, `bad_time`.
    init(_ request: Request, _ context: HTTPContext) async throws {
        let members = try await context.jsonMembers(
            Self.members, of: request, upTo: Self.maxBytes, example: Self.example)
        let fields = OrderFields(members: members)
        guard let kind = try fields.text("kind").flatMap(PostRunKind.init) else {
            let kinds = PostRunKind.allCases.map(\.rawValue).joined(separator: " or ")
            throw Failure(.badRequest, "kind is not \(kinds)", hint: "Send \(Self.example).")
        }
        self.init(kind)
        try Self.checkMembers(members, of: kind)
        rule = try fields.text("rule").map { text throws(Failure) in try OriginalRule.required(text) }
        selection = try PostSelection(
            user: try fields.text("user", orElse: .badUser), since: try fields.moment("since"),
            until: try fields.moment("until"), onlyMissing: try fields.flag("only_missing"),
            onlyDamaged: try fields.flag("only_damaged"))
        posts = try fields.texts("posts")?.map { text throws(Failure) in
            guard let id = PostID(text) else {
                throw Failure(
                    .badRequest, "\"\(text.prefix(80))\" is not a post id", hint: "List some with GET /v1/posts.")
            }
            return id
        }
        if posts != nil, selection.user != nil {
            throw Failure(.badRequest, "posts and user cannot be combined", hint: "Leave one of them out.")
        }
        if let texts = try fields.texts("recipes") { recipes = try RecipeSet.read(texts) }
        if recipes?.isEmpty == true { throw Failure(.badRequest, "recipes is empty", hint: "Leave it out.") }
        pace.concurrency = try fields.number("concurrency", 1...Self.maxConcurrency)
        pace.postsPerSecond = try fields.number("limit", 1...1_000_000)
        if let text = try fields.text("switch") {
            guard let switches = PostRunSwitch(rawValue: text) else {
                throw Failure(.badRequest, "switch is neither each nor last")
            }
            self.switches = switches
        }
    }
}

extension BatchOrder {
    /// Refuses members that do not apply to a job of this kind.
    ///
    /// - Throws: `Failure` `bad_request`.
    private static func checkMembers(_ members: [String: JSONValue], of kind: PostRunKind) throws(Failure) {
        let allowed: Set<String> =
            switch kind {
            case .rethumb: Set(Self.members).subtracting(["rule"])
            case .scrub: ["kind", "user"]
            case .originals: ["kind", "user", "rule", "concurrency", "limit"]
            }
        let others = members.filter { $0.value != .null && !allowed.contains($0.key) }.keys.sorted()
        guard others.isEmpty else {
            throw Failure(
                .badRequest, "\(others.joined(separator: ", ")): not for a job of the kind \(kind.rawValue)",
                hint: "Leave it out.")
        }
    }
}

/// The members of an order, with checks of their types.
private struct OrderFields {
    let members: [String: JSONValue]

    private func value(_ name: String) -> JSONValue? { members[name].flatMap { $0 == .null ? nil : $0 } }

    func text(_ name: String, orElse code: ErrorCode = .badRequest) throws(Failure) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)?: return text
        default: throw Failure(code, "\(name) is not a text")
        }
    }

    func moment(_ name: String) throws(Failure) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)?: return text
        case .integer(let number)?: return "\(number)"
        default: throw Failure(.badTime, "\(name) is not a time", hint: "Write it as 2026-05-01, or in milliseconds.")
        }
    }

    func flag(_ name: String) throws(Failure) -> Bool {
        switch value(name) {
        case nil: return false
        case .bool(let flag)?: return flag
        default: throw Failure(.badRequest, "\(name) is neither true nor false")
        }
    }

    func texts(_ name: String) throws(Failure) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .list(let list) = value else { throw Failure(.badRequest, "\(name) is not a list") }
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw Failure(.badRequest, "\(name) is not a list of texts") }
        return texts
    }

    func number(_ name: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw Failure(
                .badRequest, "\(name) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
