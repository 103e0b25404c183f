import API
import ArgumentParser
import Foundation
import Rules
import Tree
import TreeModel
import Uploads

/// Tests rules with cases, without a service.
struct RulesTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test a file of rules with cases; no service needed.",
        discussion: """
            A line is printed for each case, with an explanation if the result is not as expected. The exit code is then 1.

            CASES
              {"data": {"posts": {"p1": {"author": {"uid": "anna"}}}},
               "now": 1795329600000,
               "cases": [
                 {"as": "maria", "read": "posts/p1", "expect": "allow"},
                 {"as": "maria", "read": "posts",
                  "query": {"orderBy": "timestamp", "limitToLast": 10}, "expect": "allow"},
                 {"as": "maria", "set": "posts/p1/text", "value": "hello",
                  "expect": "deny"},
                 {"as": "maria", "write": {"likes/p1/maria": {".sv": "timestamp"},
                                           "motd": "hi"}, "expect": "deny"},
                 {"name": "an admin deletes",
                  "as": {"uid": "eve", "token": {"admin": true}},
                  "delete": "posts/p1", "expect": "allow"}]}

            "data" is the tree in the form of an export, or the name of a file with such a tree in the folder of the cases. \
            "now" is the time in milliseconds since 1970 (default: the present). A case may have "data" and "now" of its own. \
            "as" is a user's id, the variable auth as an object, null for a client that is not signed in, or "admin" for the \
            owner of the service, who is not bound by rules. "write" is a multi-path update. "orderBy" is a path, \
            "$key", "$value" or "$priority"; a query may also have "startAt", "startAfter", "endAt", "endBefore", "equalTo", \
            "limitToFirst" and "limitToLast". Each case begins with the same data.

            EXAMPLES
              tintype rules test rules.json --cases cases.json
              tintype rules test rules.json --cases cases.json --json \\
                | jq 'select(.outcome == "failed")'
              tintype rules test --preset public --cases cases.json
            """)

    @OptionGroup var choice: RulesChoice

    @Option(help: ArgumentHelp("The cases, in JSON.", valueName: "file"))
    var cases: String

    @Flag(help: "Print one JSON document for each case, and one with the totals.")
    var json = false

    func run() async throws {
        let rules = try await choice.databaseFile().rules()
        let file = try await TextFile(path: cases)
        let cases = try Self.cases(in: file)
        var trees = CaseTrees(besides: self.cases)
        var failures = 0
        for (index, one) in cases.enumerated() {
            let tree = try await trees.tree(of: one.source)
            let now = one.now ?? WallClock.now()
            let decision: RulesDecision
            do {
                decision = try rules.explain(one.action, by: one.actor, at: now, in: tree)
            } catch {
                throw error.placed(in: "\(file.name): case \(index + 1) (\(one.name))")
            }
            if decision.isAllowed != one.isAllowed { failures += 1 }
            report(one, number: index + 1, decision)
        }
        summarize(passed: cases.count - failures, failed: failures)
        if failures > 0 { throw ExitStatus.failed }
    }

    private static func cases(in file: TextFile) throws -> [RulesCases.Case] {
        let json = try file.json()
        do {
            return try RulesCases(json).cases
        } catch {
            throw error.placed(in: file.name)
        }
    }

    private func report(_ one: RulesCases.Case, number: Int, _ decision: RulesDecision) {
        let isPassed = decision.isAllowed == one.isAllowed
        if json {
            let words = [one.isAllowed, decision.isAllowed].map {
                $0 ? RulesCaseDocument.Verdict.allow : RulesCaseDocument.Verdict.deny
            }
            return Terminal.outputJSON(
                RulesCaseDocument(
                    number: number, name: one.name, outcome: isPassed ? .passed : .failed, expected: words[0],
                    result: words[1], explanation: isPassed ? nil : decision.document))
        }
        let surprise = isPassed ? "" : one.isAllowed ? ": refused, not allowed" : ": allowed, not refused"
        Terminal.output("\(isPassed ? "passed" : "failed")  \(number)  \(one.name)\(surprise)".printable)
        guard !isPassed else { return }
        for line in ExplanationText(decision).lines { Terminal.output("        \(line)") }
    }

    private func summarize(passed: Int, failed: Int) {
        if json { return Terminal.outputJSON(RulesSummaryDocument(passed: passed, failed: failed)) }
        Terminal.output("\(passed) passed, \(failed) failed")
    }
}

/// The trees of cases, each read once.
private struct CaseTrees {
    private let folder: URL
    private var trees: [RulesCases.Source: JSONRulesTree] = [:]

    /// - Parameter path: The file with the cases; the data files that it names are in the same folder.
    init(besides path: String) { folder = URL(fileURLWithPath: path).deletingLastPathComponent() }

    mutating func tree(of source: RulesCases.Source) async throws -> JSONRulesTree {
        if let tree = trees[source] { return tree }
        let tree: JSONRulesTree
        switch source {
        case .tree(let json): tree = try JSONRulesTree(json)
        case .file(let name):
            tree = try await TextFile(path: URL(fileURLWithPath: name, relativeTo: folder).path).tree()
        }
        trees[source] = tree
        return tree
    }
}
