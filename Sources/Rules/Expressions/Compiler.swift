/// Checks the types of an expression, and compiles it.
///
/// (Firebase, "Realtime Database Security Rules": operators, variables and methods with unsuitable types are refused
/// when the rules are set. Values whose types depend on the data and the token are checked when they are evaluated.)
struct Compiler {
    private let kind: Rule.Kind
    /// The depth of each `$name` in the path.
    private let variables: [String: Int]
    var program = ProgramDraft()

    /// Compiles the text of a rule.
    ///
    /// - Parameter variables: The names of wildcards on the path to the rule, and the depths of their keys.
    static func compile(
        _ text: String, for kind: Rule.Kind, with variables: [String: Int]
    ) throws(ExpressionError) -> Program {
        let syntax = try Parser.parse(text)
        var compiler = Compiler(kind: kind, variables: variables)
        let whole = try compiler.compile(syntax)
        guard whole.type == .boolean else {
            throw ExpressionError("The rule must be boolean.", at: syntax.range.lowerBound)
        }
        return Program(compiler.program)
    }

    private init(kind: Rule.Kind, variables: [String: Int]) {
        self.kind = kind
        self.variables = variables
    }

    /// A compiled part: its position, and the type of its value.
    struct Part {
        let position: Int
        let type: StaticType
    }

    mutating func emit(_ operation: Program.Operation, _ type: StaticType, for syntax: Syntax) -> Part {
        Part(position: program.append(operation, syntax.range), type: type)
    }

    private mutating func emit(_ constant: Program.Constant, _ type: StaticType, for syntax: Syntax) -> Part {
        emit(.constant(program.append(constant)), type, for: syntax)
    }

    mutating func compile(_ syntax: Syntax) throws(ExpressionError) -> Part {
        switch syntax.kind {
        case .null: return emit(.null, .null, for: syntax)
        case .bool(let bool): return emit(.bool(bool), .boolean, for: syntax)
        case .number(let number, _): return emit(.number(number), .number, for: syntax)
        case .string(let string): return emit(.string(string), .string, for: syntax)
        case .regularExpression:
            _ = try regularExpression(syntax)
            return emit(.opaque, .regularExpression, for: syntax)
        case .list(let elements):
            for element in elements { _ = try compile(element) }
            return emit(.opaque, .list, for: syntax)
        case .name(let name): return try compile(name: name, for: syntax)
        case .not(let operand):
            let part = try compile(boolean: operand, "Operand of ! must be boolean.")
            return emit(.not(part.position), .boolean, for: syntax)
        case .negative(let operand):
            let part = try compile(operand)
            guard part.type == .number || part.type.isUntyped else {
                throw ExpressionError("Operand of - must be a number.", at: operand.range.lowerBound)
            }
            return emit(.negative(part.position), .number, for: syntax)
        case .all(let operands): return try compile(chain: operands, of: "&&", for: syntax)
        case .any(let operands): return try compile(chain: operands, of: "||", for: syntax)
        case .binary(let binary, let left, let right): return try compile(binary, left, right, for: syntax)
        case .conditional(let condition, let first, let second):
            let test = try compile(boolean: condition, "Condition of ? must be boolean.")
            let (one, other) = (try compile(first), try compile(second))
            let type = one.type == other.type ? one.type : .any
            return emit(.conditional(test.position, one.position, other.position), type, for: syntax)
        case .member(let base, let name, let offset):
            return try compile(member: name, at: offset, of: base, for: syntax)
        case .index(let base, let index): return try compile(index: index, of: base, for: syntax)
        case .call(let callee, let arguments): return try compile(call: callee, arguments, for: syntax)
        }
    }

    private mutating func compile(boolean syntax: Syntax, _ complaint: String) throws(ExpressionError) -> Part {
        let part = try compile(syntax)
        guard part.type == .boolean else { throw ExpressionError(complaint, at: syntax.range.lowerBound) }
        return part
    }

    private mutating func compile(name: String, for syntax: Syntax) throws(ExpressionError) -> Part {
        switch name {
        case "auth": return emit(.auth, .any, for: syntax)
        case "now": return emit(.now, .number, for: syntax)
        case "root": return emit(.root, .snapshot, for: syntax)
        case "data": return emit(.data, .snapshot, for: syntax)
        case "newData" where kind != .read: return emit(.newData, .snapshot, for: syntax)
        case "query" where kind == .read: return emit(.query, .query, for: syntax)
        default:
            guard let depth = variables[name] else {
                throw ExpressionError("Unknown variable '\(name)'.", at: syntax.range.lowerBound)
            }
            return emit(.key(depth), .string, for: syntax)
        }
    }

    // MARK: Operators

    private mutating func compile(
        chain operands: [Syntax], of symbol: String, for syntax: Syntax
    ) throws(ExpressionError) -> Part {
        var parts: [Part] = []
        for operand in operands {
            let side = parts.isEmpty ? "Left" : "Right"
            parts.append(try compile(boolean: operand, "\(side) operand of \(symbol) must be boolean."))
        }
        guard var whole = parts.popLast() else { return emit(.bool(true), .boolean, for: syntax) }
        for (part, operand) in zip(parts, operands).reversed() {
            let operation: Program.Operation =
                symbol == "&&" ? .all(part.position, whole.position) : .any(part.position, whole.position)
            let range = operand.range.lowerBound..<syntax.range.upperBound
            whole = Part(position: program.append(operation, range), type: .boolean)
        }
        return whole
    }

    private mutating func compile(
        _ binary: BinaryOperator, _ left: Syntax, _ right: Syntax, for syntax: Syntax
    ) throws(ExpressionError) -> Part {
        let (one, other) = (try compile(left), try compile(right))
        try binary.check(one.type, "left", at: left.range.lowerBound)
        try binary.check(other.type, "right", at: right.range.lowerBound)
        let (first, second) = (one.position, other.position)
        switch binary {
        case .equal, .notEqual:
            return emit(.equal(first, second, isNegated: binary == .notEqual), .boolean, for: syntax)
        case .add:
            let types = [one.type, other.type]
            let type: StaticType =
                types.contains(.string) ? .string : types.contains(where: \.isUntyped) ? .primitive : .number
            return emit(.add(first, second), type, for: syntax)
        default: break
        }
        if let comparison = binary.comparison {
            guard one.type == other.type || one.type.isUntyped || other.type.isUntyped else {
                throw ExpressionError(
                    "Invalid \(binary.rawValue) expression: left and right operands are of different types.",
                    at: syntax.range.lowerBound)
            }
            return emit(.compare(comparison, first, second), .boolean, for: syntax)
        }
        return emit(.arithmetic(binary.arithmetic, first, second), .number, for: syntax)
    }
}

extension BinaryOperator {
    /// Refuses an operand whose type never fits.
    fileprivate func check(_ type: StaticType, _ side: String, at offset: Int) throws(ExpressionError) {
        guard !type.isUntyped, !operandTypes.contains(type) else { return }
        throw ExpressionError("Invalid \(rawValue) expression: \(side) operand is not a \(operandNames).", at: offset)
    }

    private var operandTypes: [StaticType] {
        switch self {
        case .equal, .notEqual: [.number, .boolean, .string, .null]
        case .add, .less, .lessOrEqual, .greater, .greaterOrEqual: [.number, .string]
        default: [.number]
        }
    }

    private var operandNames: String {
        switch self {
        case .equal, .notEqual: "number, boolean, string, or null"
        case .add, .less, .lessOrEqual, .greater, .greaterOrEqual: "number or string"
        default: "number"
        }
    }

    fileprivate var comparison: Program.Comparison? {
        switch self {
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    }

    fileprivate var arithmetic: Program.Arithmetic {
        switch self {
        case .multiply: .multiply
        case .divide: .divide
        case .remainder: .remainder
        default: .subtract
        }
    }
}
