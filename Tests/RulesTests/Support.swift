import Foundation
import TestSupport
import TreeModel

@testable import Rules

/// The result of a rule.
enum Outcome: Equatable {
    case yes, no
    /// The rule fails when it is evaluated, and is therefore false.
    case fault(RuleFault)
}

/// A state, a write and its author, to evaluate rules with.
struct Scene {
    var auth: JSONValue? = [
        "uid": "bob", "provider": "custom", "someInt": 1, "someString": "one", "someBool": true, "half": .double(0.5),
        "foo": ["bar": true, "1": "first"], "roles": ["reader", "writer"], "long": ["length": 3],
        "token": ["admin": true, "name": "Bob"],
    ]
    var now: Timestamp = 1_795_329_600_000
    var before: JSONValue = [
        "items": [
            "i1": ["text": "hello", "count": 3, "isOpen": true, "tags": ["a": true, "b": false], ".priority": 7],
            "i2": [".value": "leaf", ".priority": "high"],
        ],
        "users": ["bob": ["name": "Bob"]],
        "empty": ["text": ""],
    ]
    var after: JSONValue = [
        "items": [
            "i1": ["text": "Grüße 😀", "count": 4, "isOpen": false, "added": .double(1.5), "tags": ["a": true]],
            "i2": [".value": "leaf", ".priority": "high"], "i3": "new",
        ],
        "users": ["bob": ["name": "Robert"]],
    ]

    /// Evaluates a rule as a `.write` or a `.read` of `/items/$item`.
    func outcome(
        of rule: String, kind: Rule.Kind = .write, at item: String = "i1", matching query: RulesQuery? = nil
    ) throws -> Outcome {
        let text = String(decoding: try JSONEncoder().encode([kind.rawValue: rule]), as: UTF8.self)
        let document = try RulesDocument("{ \"rules\": { \"items\": { \"$item\": \(text) } } }")
        let subject = RulesSubject(auth: auth, now: now)
        let (data, newData) = (try JSONRulesTree(before).data, try JSONRulesTree(after).data)
        let path = ["items", item]
        let trace: RulesTrace
        let verdict: RulesVerdict
        if kind == .read {
            trace = try document.explainRead(at: path, matching: query, by: subject, in: data)
            verdict = try document.judgeRead(at: path, matching: query, by: subject, in: data)
        } else {
            trace = try document.explainWrite(at: path, by: subject, before: data, after: newData)
            verdict = try document.judgeWrite(at: path, by: subject, before: data, after: newData)
        }
        guard trace.verdict.isAllowed == verdict.isAllowed, let evaluation = trace.evaluations.last else {
            throw TreeError(.engine, "explained and judged differ")
        }
        if let fault = evaluation.fault.flatMap(RuleFault.init) { return .fault(fault) }
        return verdict.isAllowed ? .yes : .no
    }
}

extension RulesDocument {
    /// Returns the message that refuses a document with one rule at `/items/$item`; nil if it is valid.
    static func complaint(about rule: String, kind: String = ".write") throws -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let text = String(decoding: try encoder.encode([kind: rule]), as: UTF8.self)
        return Self.complaint(aboutDocument: "{ \"rules\": { \"items\": { \"$item\": \(text) } } }")
    }

    static func complaint(aboutDocument text: String) -> String? {
        do {
            _ = try RulesDocument(text)
            return nil
        } catch {
            return error.message
        }
    }
}
