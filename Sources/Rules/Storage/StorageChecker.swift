/// Checks that the names in storage rules are defined.
struct StorageChecker {
    /// The methods, with the numbers of their arguments.
    static let methods = ["matches": 1, "size": 0, "toMillis": 0]

    private let names: Set<String>
    private let functions: [String: StorageFunction]
    /// The regular expressions that were found, by their patterns.
    private(set) var expressions: [String: RegularExpression]

    init(names: Set<String>, functions: [String: StorageFunction], expressions: [String: RegularExpression]) {
        self.names = names
        self.functions = functions
        self.expressions = expressions
    }

    mutating func check(_ condition: Syntax) throws(ExpressionError) { try check(condition, with: []) }

    mutating func check(_ function: StorageFunction) throws(ExpressionError) {
        guard Set(function.parameters).count == function.parameters.count else {
            throw ExpressionError("A parameter of '\(function.name)' is there twice.", at: function.offset)
        }
        try check(function.body, with: Set(function.parameters))
        var seen: Set<String> = []
        var pending = [function.body]
        while let syntax = pending.popLast() {
            for name in syntax.calledNames where seen.insert(name).inserted {
                guard name != function.name else {
                    throw ExpressionError("The function '\(name)' calls itself.", at: function.offset)
                }
                if let called = functions[name] { pending.append(called.body) }
            }
        }
    }

    private mutating func check(_ syntax: Syntax, with parameters: Set<String>) throws(ExpressionError) {
        let offset = syntax.range.lowerBound
        switch syntax.kind {
        case .name(let name):
            guard ["request", "resource"].contains(name) || names.contains(name) || parameters.contains(name) else {
                throw ExpressionError("Unknown variable '\(name)'.", at: offset)
            }
        case .call(let callee, let arguments):
            try check(call: callee, arguments)
            if case .member(let base, _, _) = callee.kind { try check(base, with: parameters) }
            for argument in arguments { try check(argument, with: parameters) }
        default:
            for child in syntax.children { try check(child, with: parameters) }
        }
    }

    private mutating func check(call callee: Syntax, _ arguments: [Syntax]) throws(ExpressionError) {
        let (name, wanted, offset): (String, Int?, Int)
        switch callee.kind {
        case .name(let function):
            (name, wanted, offset) = (function, functions[function]?.parameters.count, callee.range.lowerBound)
        case .member(_, let method, let nameOffset):
            (name, wanted, offset) = (method, Self.methods[method], nameOffset)
        default: throw ExpressionError("Only functions and methods can be called.", at: callee.range.lowerBound)
        }
        guard let wanted else { throw ExpressionError("Unknown function '\(name)'.", at: offset) }
        guard arguments.count == wanted else {
            let count = wanted == 1 ? "1 argument" : "\(wanted) arguments"
            throw ExpressionError("\(name)() takes \(count), not \(arguments.count).", at: offset)
        }
        guard case .member = callee.kind, name == "matches", case .string(let pattern) = arguments[0].kind,
            expressions[pattern] == nil
        else { return }
        do {
            expressions[pattern] = try RegularExpression(pattern, dialect: .storage)
        } catch {
            throw ExpressionError("Invalid regular expression: \(error.message).", at: arguments[0].range.lowerBound)
        }
    }
}

extension Syntax {
    /// The direct operands of this expression.
    var children: [Syntax] {
        switch kind {
        case .null, .bool, .number, .string, .regularExpression, .name: []
        case .list(let elements), .all(let elements), .any(let elements): elements
        case .not(let operand), .negative(let operand), .member(let operand, _, _): [operand]
        case .binary(_, let left, let right), .index(let left, let right): [left, right]
        case .conditional(let condition, let first, let second): [condition, first, second]
        case .call(let callee, let arguments): [callee] + arguments
        }
    }

    /// The names of all functions that this expression calls.
    fileprivate var calledNames: [String] {
        var names: [String] = []
        var pending = [self]
        while let syntax = pending.popLast() {
            if case .call(let callee, _) = syntax.kind, case .name(let name) = callee.kind { names.append(name) }
            pending += syntax.children
        }
        return names
    }
}
