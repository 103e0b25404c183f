import TestSupport
import Testing

@testable import Tree

@Suite("The limits of a client's write in one transaction", .timeLimit(.minutes(20)))
struct WriteLimitTests {
    private static let likes = TreePattern("likes/*/*")

    /// A derivation that writes much for a text, and little for any other value.
    private struct Costly: Derivation {
        let place = TreePattern("costly/*")

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] { [] }

        func writeCount(for value: TreeValue?) -> Int { if case .string = value { 600 } else { 1 } }
    }

    /// An update, and whether it is too large for a client that is bound by rules, in a store where 50 rows are many.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let form: JSONUpdate.Form
        let path: TreePath
        let json: String
        let isTooMuch: Bool

        var testDescription: String { name }

        init(_ name: String, _ form: JSONUpdate.Form, _ path: TreePath, _ json: String, isTooMuch: Bool) {
            (self.name, self.form, self.path, self.json, self.isTooMuch) = (name, form, path, json, isTooMuch)
        }
    }

    private static func members(_ count: Int, _ value: String) -> String {
        "{" + (0..<count).map { "\"k\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    static let rows = [
        Row("50 paths", .update, "a", members(50, "1"), isTooMuch: false),
        Row("51 paths", .update, "a", members(51, "1"), isTooMuch: true),
        Row("51 rows at two paths", .update, "a", "{\"x\":\(members(50, "1")),\"y\":1}", isTooMuch: true),
        Row("500 rows that are staged", .value, "a", members(500, "1"), isTooMuch: false),
        Row("51 rows from which something follows", .value, "likes/p", members(51, "1"), isTooMuch: true),
        Row("50 rows from which something follows", .value, "likes/p", members(50, "1"), isTooMuch: false),
        Row("5,000 nulls", .update, "a", members(5000, "null"), isTooMuch: false),
        Row("5,001 nulls", .update, "a", members(5001, "null"), isTooMuch: true),
        Row("one from which much follows", .update, "costly", members(1, "\"x\""), isTooMuch: false),
        Row("two from which much follows", .update, "costly", members(2, "\"x\""), isTooMuch: true),
        Row("two of them, by one path", .value, "costly", members(2, "\"x\""), isTooMuch: true),
        Row("parts of one", .update, "costly/k0", members(40, "\"x\""), isTooMuch: false),
        Row("1,000 that are deleted", .update, "costly", members(1000, "null"), isTooMuch: false),
        Row("1,001 that are deleted", .update, "costly", members(1001, "null"), isTooMuch: true),
    ]

    @Test(
        "A client that is bound by rules may write a limited amount; the service itself has no limit", arguments: rows)
    func limits(row: Row) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(),
            derivations: [[NodeCounter(of: Self.likes, at: TreePattern("stats/*/likes")), Costly()]],
            isMaintained: false, minRowsOfLargeWrite: 50)
        let update = try JSONUpdate(row.form, at: row.path, json: row.json.utf8)
        var ruled = update
        ruled.requester = Requester(auth: nil, mayUseTreesWithoutRules: true)
        let refusal: TreeError.Code?
        do {
            try await store.update(ruled)
            refusal = nil
        } catch {
            refusal = error.code
            #expect(try await store.get("") == nil)
        }
        #expect(refusal == (row.isTooMuch ? .tooLarge : nil))
        try await store.update(update)
        await store.close()
    }
}
