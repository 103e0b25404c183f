/// A parsed expression.
struct Syntax: Sendable {
    indirect enum Kind: Sendable {
        case null
        case bool(Bool)
        /// A number, and whether it is written without a point and an exponent.
        case number(Double, isWhole: Bool)
        case string(String)
        case regularExpression(pattern: String, flags: String)
        case name(String)
        case list([Syntax])
        case not(Syntax)
        case negative(Syntax)
        /// A chain of `&&` or of `||`: two operands or more.
        case all([Syntax])
        case any([Syntax])
        case binary(BinaryOperator, Syntax, Syntax)
        case conditional(Syntax, then: Syntax, else: Syntax)
        case member(Syntax, name: String, nameOffset: Int)
        case index(Syntax, Syntax)
        case call(Syntax, [Syntax])
    }

    let kind: Kind
    /// The range of bytes in the text, without surrounding parentheses.
    let range: Range<Int>
    /// The number of nested expressions, including this one.
    let depth: Int
}

/// An operator between two expressions, both of which are always evaluated.
enum BinaryOperator: String {
    case equal = "==", notEqual = "!="
    case less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%"
    /// Only in storage rules.
    case isIn = "in"
}
