/// Reads expressions, with the precedence of JavaScript's operators (ECMA-262 §13).
struct Parser {
    /// The largest depth of nested expressions. Everything that processes expressions is recursive.
    static let maxDepth = 100
    /// The largest number of expressions within one.
    static let maxNodes = 5000

    var lexer: Lexer
    private(set) var token: Token
    /// Whether the expressions are those of storage rules, which have `in`, but no regular expression literals.
    private let isStorage: Bool
    private var depth = 0
    private var nodeCount = 0

    init(_ text: String, isStorage: Bool = false) throws(ExpressionError) {
        lexer = Lexer(text, hasComments: isStorage)
        token = try lexer.next()
        self.isStorage = isStorage
    }

    /// Reads a text that is one expression.
    static func parse(_ text: String) throws(ExpressionError) -> Syntax {
        var parser = try Parser(text)
        let syntax = try parser.parseExpression()
        guard parser.token.kind == .end else { throw parser.unexpected() }
        return syntax
    }

    // MARK: Words

    mutating func advance() throws(ExpressionError) { token = try lexer.next() }

    mutating func take(_ symbol: Symbol) throws(ExpressionError) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ symbol: Symbol) throws(ExpressionError) {
        guard try take(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
    }

    mutating func expectName() throws(ExpressionError) -> String {
        guard case .name(let name) = token.kind else { throw unexpected("a name") }
        try advance()
        return name
    }

    func unexpected(_ wanted: String? = nil) -> ExpressionError {
        let found = token.kind == .end ? "end of the text" : "'\(lexer.text(token.range))'"
        return ExpressionError(
            "Unexpected \(found)\(wanted.map { ", expected \($0)" } ?? "").", at: token.range.lowerBound)
    }

    // MARK: Expressions

    /// Resets the count of the parts of an expression.
    mutating func beginExpression() { nodeCount = 0 }

    mutating func parseExpression() throws(ExpressionError) -> Syntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw tooDeep(at: token.range.lowerBound) }
        let condition = try parseBinary(1)
        guard try take(.question) else { return condition }
        let first = try parseExpression()
        try expect(.colon)
        let second = try parseExpression()
        return try make(
            .conditional(condition, then: first, else: second), from: condition.range.lowerBound,
            to: second.range.upperBound, of: [condition, first, second])
    }

    private mutating func parseBinary(_ minimum: Int) throws(ExpressionError) -> Syntax {
        var left = try parseUnary()
        while let infix = infix(), infix.precedence >= minimum {
            var operands = [left]
            // A chain of && or of || is one expression, regardless of its length.
            repeat {
                try advance()
                operands.append(try parseBinary(infix.precedence + 1))
            } while infix.isChained && self.infix() == infix
            let end = operands.last?.range.upperBound ?? 0
            left = try make(infix.kind(of: operands), from: left.range.lowerBound, to: end, of: operands)
        }
        return left
    }

    private mutating func parseUnary() throws(ExpressionError) -> Syntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw tooDeep(at: token.range.lowerBound) }
        let start = token.range.lowerBound
        if try take(.not) {
            let operand = try parseUnary()
            return try make(.not(operand), from: start, to: operand.range.upperBound, of: [operand])
        }
        if try take(.minus) {
            let operand = try parseUnary()
            if case .number(let number, let isWhole) = operand.kind {
                return try make(.number(-number, isWhole: isWhole), from: start, to: operand.range.upperBound)
            }
            return try make(.negative(operand), from: start, to: operand.range.upperBound, of: [operand])
        }
        return try parsePostfix()
    }

    private mutating func parsePostfix() throws(ExpressionError) -> Syntax {
        var base = try parsePrimary()
        while true {
            let start = base.range.lowerBound
            if try take(.dot) {
                let (offset, end) = (token.range.lowerBound, token.range.upperBound)
                let name = try expectName()
                base = try make(.member(base, name: name, nameOffset: offset), from: start, to: end, of: [base])
            } else if try take(.openBracket) {
                let index = try parseExpression()
                let end = token.range.upperBound
                try expect(.closeBracket)
                base = try make(.index(base, index), from: start, to: end, of: [base, index])
            } else if try take(.openParenthesis) {
                let (arguments, end) = try parseList(until: .closeParenthesis)
                base = try make(.call(base, arguments), from: start, to: end, of: [base] + arguments)
            } else {
                return base
            }
        }
    }

    private mutating func parsePrimary() throws(ExpressionError) -> Syntax {
        let (kind, range) = (token.kind, token.range)
        switch kind {
        case .symbol(.slash) where !isStorage:
            let (pattern, flags) = try lexer.readRegularExpression(at: range.lowerBound)
            let end = lexer.position
            try advance()
            return try make(.regularExpression(pattern: pattern, flags: flags), from: range.lowerBound, to: end)
        case .symbol(.openParenthesis):
            try advance()
            let inner = try parseExpression()
            try expect(.closeParenthesis)
            return inner
        case .symbol(.openBracket):
            try advance()
            let (elements, end) = try parseList(until: .closeBracket)
            return try make(.list(elements), from: range.lowerBound, to: end, of: elements)
        case .number(let number, let isWhole):
            try advance()
            return try make(.number(number, isWhole: isWhole), from: range.lowerBound, to: range.upperBound)
        case .string(let string):
            try advance()
            return try make(.string(string), from: range.lowerBound, to: range.upperBound)
        case .name(let name):
            try advance()
            return try make(Self.literal(name) ?? .name(name), from: range.lowerBound, to: range.upperBound)
        case .symbol, .end: throw unexpected()
        }
    }

    private static func literal(_ name: String) -> Syntax.Kind? {
        switch name {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null": .null
        default: nil
        }
    }

    /// Reads expressions separated by commas, and the symbol after them.
    private mutating func parseList(until end: Symbol) throws(ExpressionError) -> ([Syntax], end: Int) {
        var elements: [Syntax] = []
        while token.kind != .symbol(end) {
            if !elements.isEmpty { try expect(.comma) }
            elements.append(try parseExpression())
        }
        let offset = token.range.upperBound
        try advance()
        return (elements, offset)
    }

    // MARK: Nodes

    private mutating func make(
        _ kind: Syntax.Kind, from start: Int, to end: Int, of children: [Syntax] = []
    ) throws(ExpressionError) -> Syntax {
        nodeCount += 1
        guard nodeCount <= Self.maxNodes else {
            throw ExpressionError("The expression has more than \(Self.maxNodes) parts.", at: start)
        }
        let depth = 1 + (children.map(\.depth).max() ?? 0)
        guard depth <= Self.maxDepth else { throw tooDeep(at: start) }
        return Syntax(kind: kind, range: start..<max(start, end), depth: depth)
    }

    private func tooDeep(at offset: Int) -> ExpressionError {
        ExpressionError("The expression is nested more than \(Self.maxDepth) levels deep.", at: offset)
    }
}

// MARK: Operators

extension Parser {
    private enum Infix: Equatable {
        case any, all
        case binary(BinaryOperator)

        var isChained: Bool { self == .any || self == .all }

        func kind(of operands: [Syntax]) -> Syntax.Kind {
            switch self {
            case .any: .any(operands)
            case .all: .all(operands)
            case .binary(let binary): .binary(binary, operands[0], operands[1])
            }
        }

        var precedence: Int {
            switch self {
            case .any: 1
            case .all: 2
            case .binary(.equal), .binary(.notEqual): 3
            case .binary(.less), .binary(.lessOrEqual), .binary(.greater), .binary(.greaterOrEqual): 4
            case .binary(.isIn): 4
            case .binary(.add), .binary(.subtract): 5
            case .binary(.multiply), .binary(.divide), .binary(.remainder): 6
            }
        }
    }

    private func infix() -> Infix? {
        switch token.kind {
        case .symbol(.or): .any
        case .symbol(.and): .all
        case .symbol(.identical) where !isStorage: .binary(.equal)
        case .symbol(.notIdentical) where !isStorage: .binary(.notEqual)
        case .symbol(let symbol): BinaryOperator(rawValue: symbol.rawValue).map(Infix.binary)
        case .name(let name) where isStorage: BinaryOperator(rawValue: name).map(Infix.binary)
        default: nil
        }
    }
}
