package import TreeModel

/// Test cases of rules: actions, and whether the rules should allow them:
///
///     {"data": {"posts": {"p1": {"author": "maria"}}},
///      "cases": [
///       {"as": "maria", "read": "posts", "query": {"orderBy": "author", "limitToLast": 5}, "expect": "allow"},
///       {"as": "anna", "write": {"posts/p1/text": "hello", "feed/anna/p1": true}, "expect": "deny"},
///       {"as": {"uid": "maria", "token": {"admin": true}}, "set": "motd", "value": "hi", "expect": "allow"},
///       {"name": "nobody deletes", "as": null, "delete": "posts/p1", "expect": "deny"}]}
///
/// `now` is the time in milliseconds since the epoch; a case may also have its own `now` and `data`. A string as `data`
/// names a file. Cases change nothing: each begins with the same data.
package struct RulesCases: Sendable {
    /// The tree of a case.
    package enum Source: Sendable, Hashable {
        case tree(JSONValue)
        /// The file that contains it.
        case file(String)
    }

    /// An action, and the expected decision.
    package struct Case: Sendable {
        /// The name of the case, or the description of its action.
        package let name: String
        package let actor: RulesActor
        package let action: RulesAction
        package let source: Source
        /// The time; nil for the current time.
        package let now: Timestamp?
        /// Whether the rules are expected to allow it.
        package let isAllowed: Bool
    }

    /// The cases in the order of the document; never empty.
    package let cases: [Case]

    /// Reads a document.
    ///
    /// - Throws: ``TreeError`` with code `invalid_value`, whose message names the faulty case.
    package init(_ json: JSONValue) throws(TreeError) {
        let members = try CaseMembers(json, known: ["data", "now", "cases"], of: "the document")
        guard case .list(let list)? = members["cases"], !list.isEmpty else {
            throw CaseMembers.invalid("the document has no list of cases")
        }
        let source = try members.source()
        let now = try members.time()
        var cases: [Case] = []
        for (index, json) in list.enumerated() {
            do throws(TreeError) {
                cases.append(try Case(json, source: source, now: now))
            } catch {
                let name = json["name"]?.string.map { " (\($0))" } ?? ""
                throw TreeError(.invalidValue, "case \(index + 1)\(name): \(error.message)", hint: error.hint)
            }
        }
        self.cases = cases
    }
}

extension RulesCases.Case {
    private static let known = [
        "name", "as", "read", "query", "write", "set", "value", "delete", "data", "now", "expect",
    ]

    fileprivate init(_ json: JSONValue, source: RulesCases.Source?, now: Timestamp?) throws(TreeError) {
        let members = try CaseMembers(json, known: Self.known, of: "a case")
        guard let subject = members["as"] else {
            throw CaseMembers.invalid("\"as\" is missing: use a user's id, an object for auth, null or \"admin\"")
        }
        actor = try RulesActor(json: subject)
        action = try members.action()
        switch members["expect"] {
        case "allow"?: isAllowed = true
        case "deny"?: isAllowed = false
        default: throw CaseMembers.invalid("\"expect\" must be \"allow\" or \"deny\"")
        }
        self.source = try members.source() ?? source ?? .tree(.null)
        self.now = try members.time() ?? now
        name = try members.name() ?? "\(actor.words) \(action.words)"
    }
}

/// The members of an object in a document of cases.
private struct CaseMembers {
    private let members: [String: JSONValue]

    /// - Throws: ``TreeError`` with code `invalid_value` for a value that is not an object, and for an object with an
    ///   unknown member.
    init(_ json: JSONValue, known: [String], of place: String) throws(TreeError) {
        guard case .object(let members) = json else { throw Self.invalid("\(place) is no object") }
        for name in members.keys.sorted() where !known.contains(name) {
            throw Self.invalid("\(place) has no member \"\(name)\"; its members are \(known.joined(separator: ", "))")
        }
        self.members = members
    }

    static func invalid(_ complaint: String) -> TreeError { TreeError(.invalidValue, complaint) }

    subscript(name: String) -> JSONValue? { members[name] }

    func name() throws(TreeError) -> String? {
        guard let json = self["name"] else { return nil }
        guard let name = json.string else { throw Self.invalid("\"name\" must be a string") }
        return name
    }

    func time() throws(TreeError) -> Timestamp? {
        guard let json = self["now"] else { return nil }
        guard let time = json.integer else { throw Self.invalid("\"now\" must be whole milliseconds since 1970") }
        return Timestamp(milliseconds: Int64(time))
    }

    func source() throws(TreeError) -> RulesCases.Source? {
        guard let json = self["data"] else { return nil }
        if let file = json.string { return .file(file) }
        return .tree(json)
    }

    func action() throws(TreeError) -> RulesAction {
        let verbs = ["read", "write", "set", "delete"].filter { self[$0] != nil }
        guard verbs.count == 1 else {
            throw Self.invalid("a case needs exactly one of \"read\", \"write\", \"set\" and \"delete\"")
        }
        for (name, verb) in [("query", "read"), ("value", "set")] where self[name] != nil && verbs != [verb] {
            throw Self.invalid("\"\(name)\" is only valid with \"\(verb)\"")
        }
        switch verbs[0] {
        case "read":
            var query: RulesQuery?
            if let json = self["query"] { query = try RulesQuery(json: json) }
            return .read(try path("read"), matching: query)
        case "set":
            guard let value = self["value"] else { throw Self.invalid("\"set\" needs a \"value\"") }
            return try .write([RulesWrite(try path("set"), value)])
        case "delete":
            return try .write([RulesWrite(try path("delete"), .null)])
        default:
            guard case .object(let values)? = self["write"], !values.isEmpty else {
                throw Self.invalid("\"write\" must be an object of paths and their new values")
            }
            var writes: [RulesWrite] = []
            for (path, value) in values.sorted(by: { $0.key < $1.key }) {
                writes.append(RulesWrite(try TreePath(path), value))
            }
            return try .write(writes)
        }
    }

    private func path(_ name: String) throws(TreeError) -> TreePath {
        guard let path = self[name]?.string else { throw Self.invalid("\"\(name)\" must be a path") }
        return try TreePath(path)
    }
}
