import Access
import Database
import TestSupport
import Testing
import Tree
import TreeModel

@Suite("A client under rules gets changes from the time since which the rules allow it", .timeLimit(.minutes(20)))
struct RuledChangesTests {
    private static let jan = Identity.user(User(uid: "jan", auth: ["uid": .string("jan"), "token": [:]]))

    private func setRules(_ rule: String, _ fixture: Fixture) async throws {
        try await fixture.tree.setRules(#"{"rules": {"notes": {"$id": {".read": "\#(rule)"}}}}"#)
    }

    /// Returns the number of received changes; the code of the refusal otherwise.
    private func told(since token: SyncToken, by identity: Identity, _ fixture: Fixture) async throws -> String {
        var count = 0
        let code = await outcome {
            let session = fixture.database.session(as: identity)
            count = try await session.changes(since: token, at: "notes/a", limit: 1000, .plain).entries.count
        }
        return code == "done" ? "\(count)" : code
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let path: TreePath
        let value: TreeValue
        let isLater: Bool

        init(_ rule: String, _ path: TreePath, _ value: TreeValue = ["jan": true, "text": "y"], isLater: Bool) {
            (self.rule, self.path, self.value, self.isLater) = (rule, path, value, isLater)
        }

        var testDescription: String { "\(path) and \(rule)" }
    }

    @Test(
        "A token is too old only when data that the rules read has been written since",
        arguments: [
            Case("true", "members/jan", isLater: false), Case("auth.uid === 'jan'", "members/jan", isLater: false),
            Case("root.child('members').hasChild(auth.uid)", "members/jan", isLater: true),
            Case("root.child('members').hasChild(auth.uid)", "members/jan/role", isLater: true),
            Case("root.child('members').hasChild(auth.uid)", "members", isLater: true),
            Case("root.child('members').hasChild(auth.uid)", "members/eve", isLater: false),
            Case("root.child('members').hasChild(auth.uid)", "members/janna", isLater: false),
            Case("root.child('members').hasChild(auth.uid)", "notes/a/text", isLater: false),
            Case("root.child('members').hasChildren()", "members/eve", isLater: true),
            Case("!root.child('banned').child(auth.uid).exists()", "banned/eve", isLater: false),
            Case("!root.child('banned').child(auth.uid).exists()", "banned", ["eve": true], isLater: true),
            Case("data.child('kind').val() !== 'draft'", "notes/a/kind", isLater: true),
            Case("data.child('kind').val() !== 'draft'", "notes/a", isLater: true),
            Case("data.child('kind').val() !== 'draft'", "notes/a/text", isLater: false),
            Case("data.child('kind').val() !== 'draft'", "notes/b/kind", isLater: false),
        ])
    func grounds(example: Case) async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let tree = fixture.tree
            try await setRules(example.rule, fixture)
            try await tree.set("members", to: ["jan": ["role": "reader"], "zoe": true])
            try await tree.set("notes/a", to: ["kind": "note", "text": "x"])
            let start = try await tree.token
            #expect(try await told(since: start, by: Self.jan, fixture) == "0")
            try await tree.set(example.path, to: example.value)
            try await tree.set("notes/a/more", to: 1)
            let count = example.path.keys.first == "notes" && example.path.keys.dropFirst().first == "a" ? 2 : 1
            #expect(
                try await told(since: start, by: Self.jan, fixture) == (example.isLater ? "resnapshot" : "\(count)"))
            #expect(try await told(since: start, by: .admin, fixture) == "\(count)", "rules do not bind the owner")
            #expect(try await told(since: tree.token, by: Self.jan, fixture) == "0", "one goes on from now")
        }
    }

    @Test("A newly admitted client learns nothing of earlier deleted data, however much there is")
    func letIn() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let tree = fixture.tree
            try await setRules("root.child('members').hasChild(auth.uid)", fixture)
            let start = try await tree.token
            try await tree.set("notes/a/gone", to: "secret")
            try await tree.set("notes/a/gone", to: nil)
            #expect(try await told(since: start, by: Self.jan, fixture) == "permission_denied")
            let letIn = try await tree.set("members/jan", to: true)
            for number in 0..<3 { try await tree.set("notes/a/text", to: .integer(Int64(number))) }
            #expect(try await told(since: start, by: Self.jan, fixture) == "resnapshot")
            #expect(try await told(since: letIn, by: Self.jan, fixture) == "3")
            try await tree.set("members/jan", to: nil)
            #expect(try await told(since: letIn, by: Self.jan, fixture) == "permission_denied")
            try await tree.set("members/jan", to: true)
            #expect(try await told(since: letIn, by: Self.jan, fixture) == "resnapshot")
        }
    }

    @Test("Changes of the rules' data are searched for in one page of changes, and not beyond")
    func farBehind() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let tree = fixture.tree
            try await setRules("root.child('members').hasChild(auth.uid)", fixture)
            let start = try await tree.set("members/jan", to: true)
            let next = try await tree.set("elsewhere", to: 0)
            for number in 1..<10_001 { try await tree.set("elsewhere", to: .integer(Int64(number))) }
            #expect(try await told(since: start, by: Self.jan, fixture) == "resnapshot")
            #expect(try await told(since: next, by: Self.jan, fixture) == "0")
        }
    }
}
