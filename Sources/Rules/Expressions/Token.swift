/// A token of the rules' language.
struct Token {
    enum Kind: Equatable {
        /// A number, and whether it is written without a point and an exponent.
        case number(Double, isWhole: Bool)
        case string(String)
        /// A name, a keyword, or a variable whose name begins with `$`.
        case name(String)
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    /// The range of bytes in the text.
    let range: Range<Int>
}

/// The symbols of expressions, and those of storage rules.
enum Symbol: String, CaseIterable {
    case identical = "===", notIdentical = "!=="
    case equal = "==", notEqual = "!=", lessOrEqual = "<=", greaterOrEqual = ">=", and = "&&", or = "||"
    case less = "<", greater = ">", plus = "+", minus = "-", times = "*", slash = "/", percent = "%", not = "!"
    case question = "?", colon = ":", dot = ".", comma = ",", semicolon = ";", assign = "="
    case openParenthesis = "(", closeParenthesis = ")", openBracket = "[", closeBracket = "]"
    case openBrace = "{", closeBrace = "}"

    /// All symbols as bytes, the longest first.
    static let spellings = allCases.map { (symbol: $0, bytes: Array($0.rawValue.utf8)) }
        .sorted { $0.bytes.count > $1.bytes.count }
}
