import Foundation
import Testing

@testable import Rules

@Suite("Writes that no rule can grant")
struct GrantTests {
    /// Conditions of `.write`, and whether each may be true for a client without authentication.
    static let rules: [(String, Bool)] = [
        ("true", true), ("false", false), ("auth != null", false), ("auth === null", true), ("!(auth == null)", false),
        ("auth.uid === $uid", false), ("$uid == auth.uid", false), ("auth.uid != $uid", true),
        ("auth.token.admin === true", false), ("auth['uid'] === $uid", false), ("auth.uid == null", true),
        ("auth != null && newData.exists()", false), ("newData.exists() && auth != null", false),
        ("auth != null || newData.exists()", true), ("newData.exists()", true), ("!newData.exists()", true),
        ("auth == null || newData.exists()", true), ("!(auth == null || newData.exists())", false),
        ("data.exists() ? auth != null : auth.uid === $uid", false),
        ("auth == null ? newData.exists() : true", true), ("auth != null ? true : 1 == 2", true),
        ("$uid === 'public'", true), ("now > 5", true), ("auth.uid.length > 5", true),
    ]

    @Test(
        "Without authentication, only the rules that require it are ruled out",
        arguments: rules)
    func nobody(rule: String, mayHold: Bool) throws {
        let text = String(decoding: try JSONEncoder().encode([".write": rule]), as: UTF8.self)
        let root = try RulesDocument("{ \"rules\": { \"mine\": { \"$uid\": \(text) } } }").root
        let writes: [([String], Bool)] = [
            (["mine", "maria"], false), (["mine", "maria", "a"], false), ([], true), (["mine"], true),
        ]
        for (path, isUpdate) in writes {
            #expect(root.mayGrantWrite(at: path, isUpdate: isUpdate, isByNobody: true) == mayHold, "\(path)")
            #expect(root.mayGrantWrite(at: path, isUpdate: isUpdate, isByNobody: false) == (rule != "false"))
        }
        for path in [[], ["mine"], ["other", "maria"]] {
            #expect(!root.mayGrantWrite(at: path, isUpdate: false, isByNobody: false))
        }
    }

    @Test("A long chain of conditions is analysed")
    func chain() throws {
        for (chain, mayHold) in [(" && ", false), (" || ", true)] {
            let parts = (0..<500).map { "newData.child('\($0)').exists()" } + ["auth != null"]
            let rule = parts.joined(separator: chain)
            let root = try RulesDocument("{ \"rules\": { \".write\": \"\(rule)\" } }").root
            #expect(root.mayGrantWrite(at: [], isUpdate: false, isByNobody: true) == mayHold)
        }
    }
}
