import TestSupport

/// An expression of rules as a tree, which the random tests create, print and evaluate.
indirect enum ExpressionTree {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case name(String)
    case pattern(String, flags: String)
    case list([ExpressionTree])
    case not(ExpressionTree)
    case negative(ExpressionTree)
    case binary(String, ExpressionTree, ExpressionTree)
    case conditional(ExpressionTree, ExpressionTree, ExpressionTree)
    case member(ExpressionTree, String)
    case index(ExpressionTree, ExpressionTree)
    case call(ExpressionTree, String, [ExpressionTree])
}

// MARK: Printing

/// A printer of expressions, with the required parentheses, or with more.
struct ExpressionPrinter {
    var random: SeededGenerator
    let hasExtraParentheses: Bool

    private static func precedence(of tree: ExpressionTree) -> Int {
        switch tree {
        case .conditional: 0
        case .binary("||", _, _): 1
        case .binary("&&", _, _): 2
        case .binary("==", _, _), .binary("===", _, _), .binary("!=", _, _), .binary("!==", _, _): 3
        case .binary("<", _, _), .binary("<=", _, _), .binary(">", _, _), .binary(">=", _, _): 4
        case .binary("+", _, _), .binary("-", _, _): 5
        case .binary: 6
        case .not, .negative: 7
        case .number(let number) where number < 0: 7
        default: 8
        }
    }

    private mutating func space() -> String { random.chance(25) ? random.pick([" ", "  ", "\n", "\t"]) : "" }

    /// Returns the text of an expression, in parentheses if its precedence is lower than required.
    mutating func text(_ tree: ExpressionTree, atLeast precedence: Int = 0) -> String {
        let text = bare(tree)
        let isNeeded = Self.precedence(of: tree) < precedence
        return isNeeded || hasExtraParentheses && random.chance(30) ? "(\(space())\(text)\(space()))" : text
    }

    private mutating func bare(_ tree: ExpressionTree) -> String {
        switch tree {
        case .null: return "null"
        case .bool(let bool): return "\(bool)"
        case .number(let number): return "\(number)"
        case .string(let string): return literal(string)
        case .name(let name): return name
        case .pattern(let pattern, let flags): return "/\(pattern)/\(flags)"
        // A list is an argument, and a literal must not be in needless parentheses.
        case .list(let elements): return "[\(arguments(elements))]"
        case .not(let operand): return "!\(space())\(text(operand, atLeast: 7))"
        case .negative(let operand): return "- \(text(operand, atLeast: 7))"
        case .binary(let symbol, let left, let right):
            let precedence = Self.precedence(of: tree)
            let (one, other) = (text(left, atLeast: precedence), text(right, atLeast: precedence + 1))
            return "\(one)\(space()) \(symbol) \(space())\(other)"
        case .conditional(let condition, let first, let second):
            return "\(text(condition, atLeast: 1)) ?\(space())\(text(first)) :\(space())\(text(second))"
        case .member(let base, let name): return "\(text(base, atLeast: 8))\(space()).\(space())\(name)"
        case .index(let base, let index): return "\(text(base, atLeast: 8))[\(space())\(text(index))]"
        case .call(let base, let name, let list):
            let callee = random.chance(10) ? "['\(name)']" : ".\(name)"
            return "\(text(base, atLeast: 8))\(callee)(\(space())\(arguments(list)))"
        }
    }

    private mutating func arguments(_ list: [ExpressionTree]) -> String {
        var texts: [String] = []
        for element in list { texts.append(text(element)) }
        return texts.joined(separator: ",\(space())")
    }

    private mutating func literal(_ string: String) -> String {
        let quote: Unicode.Scalar = random.chance(50) ? "'" : "\""
        var text = ""
        for scalar in string.unicodeScalars {
            switch scalar {
            case quote, "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where random.chance(5): text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return "\(quote)\(text)\(quote)"
    }
}

// MARK: Random expressions

/// A maker of random expressions, most of which the compiler accepts.
struct ExpressionMaker {
    var random: SeededGenerator

    static let keys = ["a", "b", "c", "é", "10"]
    private static let strings = keys + ["", "bob", "a/b", "b//c", "ab", "aba", "😀", "A", "1", "it's", "\\\"\n"]
    private static let numbers: [Double] = [0, 1, 2, 3, 0.5, 10, -1, 1e21]
    static let patterns = ["a", "^a", "b$", "^[a-c]+$", "(a|b)b*", "^.{2}$", "\\d", "^(ab?)+$"]

    mutating func boolean(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return .bool(random.chance(50)) }
        switch random.below(14) {
        case 0: return .bool(random.chance(50))
        case 1: return .not(boolean(depth - 1))
        case 2, 3: return .binary("&&", boolean(depth - 1), boolean(depth - 1))
        case 4, 5: return .binary("||", boolean(depth - 1), boolean(depth - 1))
        case 6, 7: return .binary(random.pick(["==", "===", "!=", "!=="]), scalar(depth - 1), scalar(depth - 1))
        case 8:
            let symbol = random.pick(["<", "<=", ">", ">="])
            return random.chance(50)
                ? .binary(symbol, number(depth - 1), number(depth - 1))
                : .binary(symbol, text(depth - 1), text(depth - 1))
        case 9: return .conditional(boolean(depth - 1), boolean(depth - 1), boolean(depth - 1))
        case 10: return .call(text(depth - 1), random.pick(["contains", "beginsWith", "endsWith"]), [text(depth - 1)])
        case 11:
            let pattern = ExpressionTree.pattern(random.pick(Self.patterns), flags: random.chance(30) ? "i" : "")
            return .call(text(depth - 1), "matches", [pattern])
        case 12:
            guard random.chance(50) else { return .call(snapshot(depth - 1), "hasChild", [text(depth - 1)]) }
            let keys = (0...random.below(3)).map { _ in text(depth - 2) }
            return .call(snapshot(depth - 1), "hasChildren", random.chance(30) ? [] : [.list(keys)])
        default:
            return .call(snapshot(depth - 1), random.pick(["exists", "isString", "isNumber", "isBoolean"]), [])
        }
    }

    mutating func scalar(_ depth: Int) -> ExpressionTree {
        switch random.below(5) {
        case 0: .null
        case 1: boolean(depth)
        case 2: number(depth)
        case 3: text(depth)
        default: untyped(depth)
        }
    }

    mutating func number(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return .number(random.pick(Self.numbers)) }
        switch random.below(8) {
        case 0: return .number(random.pick(Self.numbers))
        case 1: return .name("now")
        case 2: return .negative(number(depth - 1))
        case 3, 4: return .binary(random.pick(["+", "-", "*", "/", "%"]), number(depth - 1), number(depth - 1))
        case 5: return .member(text(depth - 1), "length")
        case 6: return .conditional(boolean(depth - 1), number(depth - 1), number(depth - 1))
        default: return untyped(depth - 1)
        }
    }

    mutating func text(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return .string(random.pick(Self.strings)) }
        switch random.below(9) {
        case 0, 1: return .string(random.pick(Self.strings))
        case 2: return .name(random.pick(["$a", "$b"]))
        case 3: return .binary("+", text(depth - 1), random.chance(30) ? number(depth - 1) : text(depth - 1))
        case 4: return .call(text(depth - 1), random.pick(["toLowerCase", "toUpperCase"]), [])
        case 5: return .call(text(depth - 1), "replace", [text(depth - 1), text(depth - 1)])
        case 6: return .conditional(boolean(depth - 1), text(depth - 1), text(depth - 1))
        default: return untyped(depth - 1)
        }
    }

    mutating func untyped(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return .name("auth") }
        switch random.below(8) {
        case 0, 1, 2: return .call(snapshot(depth - 1), "val", [])
        case 3: return .conditional(boolean(depth - 1), scalar(depth - 1), claim(depth - 1))
        case 4: return .index(claim(depth - 1), random.chance(50) ? text(depth - 1) : number(depth - 1))
        case 5: return .binary("+", untyped(depth - 1), untyped(depth - 1))
        default: return claim(depth)
        }
    }

    private mutating func claim(_ depth: Int) -> ExpressionTree {
        guard depth > 0, random.chance(85) else { return .name("auth") }
        return .member(claim(depth - 1), random.pick(["uid", "a", "n", "list", "flag", "length"]))
    }

    mutating func snapshot(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return .name(random.pick(["root", "data", "newData"])) }
        switch random.below(6) {
        case 0, 1: return .name(random.pick(["root", "data", "newData"]))
        case 2: return .call(snapshot(depth - 1), "parent", [])
        default: return .call(snapshot(depth - 1), "child", [random.chance(70) ? key() : text(depth - 1)])
        }
    }

    private mutating func key() -> ExpressionTree { .string(random.pick(Self.keys)) }

    /// Returns a random state of a tree.
    mutating func state(_ depth: Int = 3) -> [String: Any] {
        var state: [String: Any] = [:]
        for key in Self.keys where random.chance(60) {
            switch random.below(depth > 0 ? 7 : 4) {
            case 0: state[key] = random.chance(50)
            case 1: state[key] = random.pick(Self.numbers)
            case 2, 3: state[key] = random.pick(Self.strings)
            default:
                let below = self.state(depth - 1)
                if !below.isEmpty { state[key] = below }
            }
        }
        return state
    }
}
