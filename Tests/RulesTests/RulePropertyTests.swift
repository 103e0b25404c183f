import Foundation
import TestSupport
import Testing
import TreeModel

@testable import Rules

/// Random rules have the same results over random data, compiled and by a naive evaluator.
@Suite struct RulePropertyTests {
    @Test("random rules agree with a naive evaluator")
    func agrees() throws {
        let run = RandomRun(rounds: 4000)
        var random = SeededGenerator(seed: run.seed)
        var outcomes: [Outcome: Int] = [:]
        for round in 0..<run.rounds {
            let outcome = try Self.check(&random, "TINTYPE_SEED=\(run.seed), round \(round)")
            outcomes[outcome, default: 0] += 1
        }
        // Each outcome has to occur, or nothing was tested.
        for outcome in [Outcome.yes, .no, .fault] { #expect((outcomes[outcome] ?? 0) > run.rounds / 50) }
    }

    private enum Outcome { case yes, no, fault }

    private static var claims: [String: Any] {
        [
            "uid": "bob", "n": 2.0, "flag": true, "list": ["a", 1.0, false],
            "a": ["a": "b", "10": "ten", "length": 1.0],
        ]
    }

    private static func check(_ random: inout SeededGenerator, _ hint: Comment) throws -> Outcome {
        var maker = ExpressionMaker(random: random)
        let tree = maker.boolean(1 + maker.random.below(6))
        let (before, after) = (maker.state(), maker.state())
        let path = [maker.random.pick(ExpressionMaker.keys), maker.random.pick(ExpressionMaker.keys)]
        let hasAuth = maker.random.chance(80)
        random = maker.random
        let naive = NaiveEvaluator(
            auth: hasAuth ? claims : nil, now: 1_795_329_600_000, keys: ["$a": path[0], "$b": path[1]], path: path,
            before: before, after: after)
        let expected: Outcome
        do {
            expected = try naive.isTrue(tree) ? .yes : .no
        } catch is NaiveEvaluator.Fault {
            expected = .fault
        }
        let subject = RulesSubject(auth: hasAuth ? json(claims) : nil, now: 1_795_329_600_000)
        let data = try JSONRulesTree(json(before)).data
        let newData = try JSONRulesTree(json(after)).data
        for hasExtraParentheses in [false, true] {
            var printer = ExpressionPrinter(random: random, hasExtraParentheses: hasExtraParentheses)
            let rule = printer.text(tree)
            random = printer.random
            var quoted: [UInt8] = []
            JSONText.append(rule.utf8.span, to: &quoted)
            let text = "{\"rules\":{\"$a\":{\"$b\":{\".write\":\(String(decoding: quoted, as: UTF8.self))}}}}"
            let document: RulesDocument
            do {
                document = try RulesDocument(text)
            } catch {
                Issue.record("\(hint): \(error.message) in \(rule)")
                return expected
            }
            let trace = try document.explainWrite(at: path, by: subject, before: data, after: newData)
            let found: Outcome =
                trace.evaluations.last?.fault != nil ? .fault : trace.verdict.isAllowed ? .yes : .no
            #expect(found == expected, "\(hint): \(rule)")
            let verdict = try document.judgeWrite(at: path, by: subject, before: data, after: newData)
            #expect(verdict.isAllowed == (expected == .yes), "\(hint): \(rule)")
        }
        return expected
    }

    private static func json(_ value: Any) -> JSONValue {
        switch value {
        case let bool as Bool: .bool(bool)
        case let number as Double: .double(number)
        case let string as String: .string(string)
        case let list as [Any]: .list(list.map(json))
        case let object as [String: Any]: .object(object.mapValues(json))
        default: .null
        }
    }
}
