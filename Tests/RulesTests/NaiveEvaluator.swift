/// Evaluates expressions over plain dictionaries, as simply as possible.
struct NaiveEvaluator {
    struct Fault: Error {}

    let auth: Any?
    let now: Double
    let keys: [String: String]
    let path: [String]
    let before: [String: Any]
    let after: [String: Any]

    /// A node: whether it belongs to the state after the write, and its path; nil where no node can be.
    struct Node {
        let isNew: Bool
        var path: [String?]
    }

    /// A value that is equal to no other value.
    struct Opaque {}

    func isTrue(_ tree: ExpressionTree) throws -> Bool {
        guard let bool = try value(tree) as? Bool else { throw Fault() }
        return bool
    }

    func value(_ tree: ExpressionTree) throws -> Any? {
        switch tree {
        case .null: return nil
        case .bool(let bool): return bool
        case .number(let number): return number
        case .string(let string): return string
        case .pattern, .list: return Opaque()
        case .name("auth"): return auth
        case .name("now"): return now
        case .name("root"): return Node(isNew: false, path: [])
        case .name("data"): return Node(isNew: false, path: path)
        case .name("newData"): return Node(isNew: true, path: path)
        case .name(let name): return keys[name]
        case .not(let operand): return try !isTrue(operand)
        case .negative(let operand): return -(try number(operand))
        case .conditional(let condition, let first, let second):
            return try isTrue(condition) ? value(first) : value(second)
        case .binary(let symbol, let left, let right): return try binary(symbol, left, right)
        case .member(let base, let name): return try member(try value(base), name)
        case .index(let base, let index): return try element(try value(base), try value(index))
        case .call(let base, let name, let arguments):
            let base = try value(base)
            if let node = base as? Node { return try call(name, node, arguments) }
            guard let text = base as? String else { throw Fault() }
            return try call(name, text, arguments)
        }
    }

    private func number(_ tree: ExpressionTree) throws -> Double {
        guard let number = try value(tree) as? Double else { throw Fault() }
        return number
    }

    private func text(_ tree: ExpressionTree) throws -> String {
        guard let text = try value(tree) as? String else { throw Fault() }
        return text
    }

    // MARK: Operators

    private func binary(_ symbol: String, _ left: ExpressionTree, _ right: ExpressionTree) throws -> Any? {
        switch symbol {
        case "&&": return try isTrue(left) ? isTrue(right) : false
        case "||": return try isTrue(left) ? true : isTrue(right)
        case "==", "===": return Self.areEqual(try value(left), try value(right))
        case "!=", "!==": return !Self.areEqual(try value(left), try value(right))
        case "<", "<=", ">", ">=": return try Self.compare(symbol, try value(left), try value(right))
        case "+": return try Self.sum(try value(left), try value(right))
        default:
            let (one, other) = (try number(left), try number(right))
            switch symbol {
            case "-": return one - other
            case "*": return one * other
            case "/": return other == 0 ? .nan : one / other
            default: return one.truncatingRemainder(dividingBy: other)
            }
        }
    }

    private static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one as Bool, let other as Bool): one == other
        case (let one as Double, let other as Double): one == other
        case (let one as String, let other as String): Array(one.utf8) == Array(other.utf8)
        default: false
        }
    }

    private static func compare(_ symbol: String, _ one: Any?, _ other: Any?) throws -> Bool {
        if let one = one as? Double, let other = other as? Double {
            switch symbol {
            case "<": return one < other
            case "<=": return one <= other
            case ">": return one > other
            default: return one >= other
            }
        }
        guard let one = one as? String, let other = other as? String else { throw Fault() }
        let (a, b) = (Array(one.utf16), Array(other.utf16))
        let order = zip(a, b).first { $0 != $1 }.map { $0 < $1 ? -1 : 1 } ?? (a.count - b.count)
        switch symbol {
        case "<": return order < 0
        case "<=": return order <= 0
        case ">": return order > 0
        default: return order >= 0
        }
    }

    private static func sum(_ one: Any?, _ other: Any?) throws -> Any {
        if let one = one as? Double, let other = other as? Double { return one + other }
        guard one is String || other is String else { throw Fault() }
        return try words(one) + words(other)
    }

    private static func words(_ value: Any?) throws -> String {
        if let text = value as? String { return text }
        guard let number = value as? Double else { throw Fault() }
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number > 0 ? "Infinity" : "-Infinity" }
        if number == number.rounded(), abs(number) < 1e15 { return "\(Int(number))" }
        // For the numbers in these tests, JavaScript and Swift write the same texts, except in the cases below.
        let text = "\(number)"
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return text }
        let digits = parts[0].replacing(".0", with: "").filter { $0 != "." && $0 != "-" }
        let sign = number < 0 ? "-" : ""
        if (0..<21).contains(exponent) {
            return sign + digits + String(repeating: "0", count: exponent + 1 - digits.count)
        }
        if (-7..<0).contains(exponent), exponent >= -6 {
            return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
        }
        let mantissa = digits.count > 1 ? "\(digits.prefix(1)).\(digits.dropFirst())" : digits
        return "\(sign)\(mantissa)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }

    // MARK: Members

    private func member(_ base: Any?, _ name: String) throws -> Any? {
        if let object = base as? [String: Any] { return object[name] }
        guard name == "length" else { return nil }
        guard let text = base as? String else { throw Fault() }
        return Double(Array(text.utf16).count)
    }

    private func element(_ base: Any?, _ index: Any?) throws -> Any? {
        guard index is String || index is Double else { throw Fault() }
        if let list = base as? [Any], let number = index as? Double {
            return list.indices.first { Double($0) == number }.map { list[$0] }
        }
        guard let object = base as? [String: Any] else { return nil }
        return object[try Self.words(index)]
    }

    private func call(_ name: String, _ text: String, _ arguments: [ExpressionTree]) throws -> Any {
        if case .pattern(let pattern, let flags)? = arguments.first {
            return try NaiveMatcher(pattern, isCaseInsensitive: flags == "i").finds(text)
        }
        let utf16 = Array(text.utf16)
        let parts = try arguments.map { try Array(self.text($0).utf16) }
        switch name {
        case "toLowerCase": return text.lowercased()
        case "toUpperCase": return text.uppercased()
        case "beginsWith": return utf16.starts(with: parts[0])
        case "endsWith": return utf16.reversed().starts(with: parts[0].reversed())
        case "contains": return (0...utf16.count).contains { utf16[$0...].starts(with: parts[0]) }
        default:
            guard !parts[0].isEmpty else { return text }
            var (result, index): ([UInt16], Int) = ([], 0)
            while index < utf16.count {
                if utf16[index...].starts(with: parts[0]) {
                    result += parts[1]
                    index += parts[0].count
                } else {
                    result.append(utf16[index])
                    index += 1
                }
            }
            return String(decoding: result, as: UTF16.self)
        }
    }

    // MARK: Nodes

    private func what(_ node: Node) -> Any? {
        var value: Any? = node.isNew ? after : before
        for key in node.path {
            guard let key else { return nil }
            value = (value as? [String: Any])?[key]
        }
        return (value as? [String: Any])?.isEmpty == true ? nil : value
    }

    private func child(_ node: Node, _ path: String) -> Node {
        var child = node
        let keys = path.split(separator: "/").map(String.init)
        let isPath = !keys.isEmpty && keys.allSatisfy { $0.allSatisfy { !".#$[]\n".contains($0) } }
        child.path += isPath ? keys : [nil]
        return child
    }

    private func call(_ name: String, _ node: Node, _ arguments: [ExpressionTree]) throws -> Any? {
        let value = what(node)
        switch name {
        case "exists": return value != nil
        case "isString": return value is String
        case "isNumber": return value is Double
        case "isBoolean": return value is Bool
        case "val": return value is [String: Any] ? Opaque() : value
        case "parent":
            guard !node.path.isEmpty else { throw Fault() }
            return Node(isNew: node.isNew, path: node.path.dropLast())
        case "child": return child(node, try text(arguments[0]))
        case "hasChild": return try what(child(node, text(arguments[0]))) != nil
        default:
            guard case .list(let keys)? = arguments.first else { return value is [String: Any] }
            let paths = try keys.map { try text($0) }
            return paths.allSatisfy { what(child(node, $0)) != nil }
        }
    }
}
