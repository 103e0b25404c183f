/// A compiled expression: a list of its parts, which refer to each other by position.
///
/// No part holds a reference-counted object, so that evaluating changes no reference counts but those of the values.
final class Program: Sendable {
    /// A part of an expression.
    enum Operation: Sendable {
        case constant(Int)
        /// The key of the path at a depth: the value of a `$name`.
        case key(Int)
        case auth, now, root, data, newData
        case query
        case not(Int)
        case negative(Int)
        /// The conjunction or disjunction of two booleans; longer chains are nested on the right.
        case all(Int, Int)
        case any(Int, Int)
        case conditional(Int, Int, Int)
        case equal(Int, Int, isNegated: Bool)
        case compare(Comparison, Int, Int)
        case add(Int, Int)
        case arithmetic(Arithmetic, Int, Int)
        /// The member of a value whose type is only known at evaluation; the constant contains its name.
        case member(Int, Int)
        case index(Int, Int)
        /// A property, or a method with up to two arguments.
        case property(Member, Int)
        case call(Member, Int, Int, Int)
        /// `hasChildren` with a list, by number.
        case hasChildren(Int, list: Int)
        /// `matches` with a regular expression, by number.
        case matches(Int, Int)
    }

    enum Comparison: Sendable { case less, lessOrEqual, greater, greaterOrEqual }
    enum Arithmetic: Sendable { case subtract, multiply, divide, remainder }

    let operations: [Operation]
    /// The bytes of the text that each operation is compiled from.
    let ranges: [Range<Int>]
    let constants: [Constant]
    let lists: [[Int]]
    let expressions: [RegularExpression]

    enum Constant: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case opaque
    }

    /// The position of the whole expression.
    var entry: Int { operations.count - 1 }

    init(_ draft: ProgramDraft) {
        operations = draft.operations
        ranges = draft.ranges
        constants = draft.constants
        lists = draft.lists
        expressions = draft.expressions
    }
}

/// A compiled expression under construction.
struct ProgramDraft {
    fileprivate var operations: [Program.Operation] = []
    fileprivate var ranges: [Range<Int>] = []
    fileprivate var constants: [Program.Constant] = []
    fileprivate var lists: [[Int]] = []
    fileprivate var expressions: [RegularExpression] = []

    mutating func append(_ operation: Program.Operation, _ range: Range<Int>) -> Int {
        operations.append(operation)
        ranges.append(range)
        return operations.count - 1
    }

    mutating func append(_ constant: Program.Constant) -> Int {
        constants.append(constant)
        return constants.count - 1
    }

    mutating func append(_ list: [Int]) -> Int {
        lists.append(list)
        return lists.count - 1
    }

    mutating func append(_ expression: RegularExpression) -> Int {
        expressions.append(expression)
        return expressions.count - 1
    }
}
