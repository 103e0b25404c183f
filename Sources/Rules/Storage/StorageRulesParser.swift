/// Reads storage rules.
struct StorageRulesParser {
    /// The largest depth of nested blocks.
    private static let maxDepth = 20

    private var parser: Parser
    private(set) var version = 1
    /// The regular expressions that occur in the text, by their patterns.
    private(set) var expressions: [String: RegularExpression] = [:]

    init(_ text: String) throws(ExpressionError) { parser = try Parser(text, isStorage: true) }

    /// The names in scope at a position in the text.
    private struct Scope {
        var names: Set<String> = []
        var functions: [String: StorageFunction] = [:]
        var hasRest = false
        var depth = 0
    }

    /// A parsed block.
    private struct Block {
        let segments: [StorageMatch.Segment]
        var allowances: [StorageMatch.Allowance] = []
        var functions: [StorageFunction] = []
        var blocks: [Block] = []
        let offset: Int
    }

    /// Reads the whole text: the version, functions, and the one service.
    mutating func parse() throws(ExpressionError) -> [StorageMatch] {
        try parseVersion()
        var (outer, service): ([StorageFunction], Block?) = ([], nil)
        while parser.token.kind != .end {
            if isNext("function") {
                outer.append(try parseFunction())
            } else if isNext("service"), service == nil {
                service = try parseService()
            } else {
                throw parser.unexpected("'service firebase.storage'")
            }
        }
        guard var service else { throw parser.unexpected("'service firebase.storage'") }
        service.functions = outer + service.functions
        return [try resolve(service, in: Scope())]
    }

    // MARK: Text

    private func isNext(_ word: String) -> Bool { parser.token.kind == .name(word) }

    private mutating func parseVersion() throws(ExpressionError) {
        guard isNext("rules_version") else { return }
        try parser.advance()
        try parser.expect(.assign)
        switch parser.token.kind {
        case .string("1"): version = 1
        case .string("2"): version = 2
        default: throw parser.unexpected("'1' or '2'")
        }
        try parser.advance()
        try parser.expect(.semicolon)
    }

    private mutating func parseService() throws(ExpressionError) -> Block {
        let offset = parser.token.range.lowerBound
        try parser.advance()
        guard isNext("firebase") else { throw parser.unexpected("'firebase.storage'") }
        try parser.advance()
        try parser.expect(.dot)
        guard isNext("storage") else { throw parser.unexpected("'firebase.storage'") }
        try parser.advance()
        var block = Block(segments: [], offset: offset)
        try parseBody(of: &block, depth: 1)
        return block
    }

    private mutating func parseBody(of block: inout Block, depth: Int) throws(ExpressionError) {
        guard depth <= Self.maxDepth else {
            throw ExpressionError("The blocks are nested more than \(Self.maxDepth) levels deep.", at: block.offset)
        }
        try parser.expect(.openBrace)
        while try !parser.take(.closeBrace) {
            let offset = parser.token.range.lowerBound
            if isNext("function") {
                block.functions.append(try parseFunction())
            } else if isNext("match") {
                try parser.advance()
                var inner = Block(segments: try parser.parsePath(), offset: offset)
                try parseBody(of: &inner, depth: depth + 1)
                block.blocks.append(inner)
            } else if isNext("allow"), depth > 1 {
                try parser.advance()
                block.allowances.append(try parseAllowance(from: offset))
            } else {
                throw parser.unexpected(depth > 1 ? "'allow', 'match' or 'function'" : "'match' or 'function'")
            }
        }
    }

    private mutating func parseAllowance(from offset: Int) throws(ExpressionError) -> StorageMatch.Allowance {
        var operations: [StorageOperation] = []
        repeat {
            guard case .name(let name) = parser.token.kind, let named = StorageOperation.named(name) else {
                throw parser.unexpected("an operation")
            }
            operations += named
            try parser.advance()
        } while try parser.take(.comma)
        var condition: Syntax?
        if try parser.take(.colon) {
            guard isNext("if") else { throw parser.unexpected("'if'") }
            try parser.advance()
            parser.beginExpression()
            condition = try parser.parseExpression()
        }
        // The last semicolon of a block may be left out.
        if parser.token.kind != .symbol(.closeBrace) { try parser.expect(.semicolon) }
        return StorageMatch.Allowance(operations: operations, condition: condition, offset: offset)
    }

    private mutating func parseFunction() throws(ExpressionError) -> StorageFunction {
        try parser.advance()
        let offset = parser.token.range.lowerBound
        let name = try parser.expectName()
        try parser.expect(.openParenthesis)
        var parameters: [String] = []
        while parser.token.kind != .symbol(.closeParenthesis) {
            if !parameters.isEmpty { try parser.expect(.comma) }
            parameters.append(try parser.expectName())
        }
        try parser.advance()
        try parser.expect(.openBrace)
        guard isNext("return") else { throw parser.unexpected("'return'") }
        try parser.advance()
        parser.beginExpression()
        let body = try parser.parseExpression()
        _ = try parser.take(.semicolon)
        try parser.expect(.closeBrace)
        return StorageFunction(name: name, parameters: parameters, body: body, offset: offset)
    }

    // MARK: Names

    /// Checks the names in a block, and converts it to its matched form.
    private mutating func resolve(_ block: Block, in outer: Scope) throws(ExpressionError) -> StorageMatch {
        var scope = outer
        for case let name? in block.segments.map(\.name) {
            guard scope.names.insert(name).inserted else {
                throw ExpressionError("The name '\(name)' is there twice on one path.", at: block.offset)
            }
        }
        for function in block.functions {
            guard scope.functions.updateValue(function, forKey: function.name) == nil else {
                throw ExpressionError("The function '\(function.name)' is there twice.", at: function.offset)
            }
        }
        var checker = StorageChecker(names: scope.names, functions: scope.functions, expressions: expressions)
        for function in block.functions { try checker.check(function) }
        for case let condition? in block.allowances.map(\.condition) { try checker.check(condition) }
        expressions = checker.expressions
        var matches: [StorageMatch] = []
        for inner in block.blocks { matches.append(try resolve(inner, in: scope)) }
        let match = StorageMatch(block.segments, allowing: block.allowances, matches, functions: scope.functions)
        guard !match.hasRest || matches.isEmpty else {
            throw ExpressionError("No block can stand in one that takes the rest of a path.", at: block.offset)
        }
        return match
    }
}

extension Parser {
    /// Reads the path after `match`: segments that begin with a slash.
    mutating func parsePath() throws(ExpressionError) -> [StorageMatch.Segment] {
        guard token.kind == .symbol(.slash) else { throw unexpected("a path") }
        let segments = try lexer.readPath(at: token.range.lowerBound)
        try advance()
        return segments
    }
}

extension Lexer {
    fileprivate mutating func readPath(at start: Int) throws(ExpressionError) -> [StorageMatch.Segment] {
        var segments: [StorageMatch.Segment] = []
        position = start
        while position < bytes.count, bytes[position] == UInt8(ascii: "/") {
            position += 1
            let isNamed = position < bytes.count && bytes[position] == UInt8(ascii: "{")
            let segmentStart = position
            let segment = isNamed ? readNamedSegment() : readLiteral()
            guard let segment else { throw ExpressionError("Invalid path.", at: segmentStart) }
            segments.append(segment)
        }
        let restCount = segments.count { segment in
            if case .rest = segment { true } else { false }
        }
        guard restCount <= 1 else { throw ExpressionError("A path takes the rest of a path twice.", at: start) }
        return segments
    }

    private mutating func readLiteral() -> StorageMatch.Segment? {
        let start = position
        while position < bytes.count, bytes[position] > 0x20, !Self.endsSegment(bytes[position]) { position += 1 }
        return position > start ? .literal(text(start..<position)) : nil
    }

    private static func endsSegment(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }

    /// Reads `{name}` or `{name=**}`.
    private mutating func readNamedSegment() -> StorageMatch.Segment? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let inner = text(position + 1..<end)
        let name = inner.hasSuffix("=**") ? String(inner.dropLast(3)) : inner
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Self.isAlphanumeric($0) }
        guard isName else { return nil }
        position = end + 1
        return name == inner ? .one(name) : .rest(name)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
