/// A regular expression that is matched in linear time: it is made a machine of states, and never goes back.
///
/// (Thompson, "Regular Expression Search Algorithm", CACM 1968.)
package struct RegularExpression: Sendable {
    /// Which expressions there are, and what they have to match.
    package enum Dialect: Sendable {
        /// That of database rules, which is found anywhere in a text: `^` only as the first character, `$` only as the
        /// last one.
        case database
        /// That of storage rules, which matches a whole text: with lazy repetitions and groups that capture nothing.
        case storage
    }

    /// The machine whose states are places in the expression.
    private let automaton: Automaton
    /// The one whose states are sets of places; nil where it would be too large.
    private let table: TransitionTable?

    /// Reads an expression.
    package init(
        _ pattern: String, isCaseInsensitive: Bool = false, dialect: Dialect
    ) throws(RegularExpressionError) {
        var parser = RegularExpressionParser(pattern, isCaseInsensitive: isCaseInsensitive, dialect: dialect)
        let tree = try parser.parse()
        automaton = try Automaton(tree, isWhole: dialect == .storage)
        table = TransitionTable(automaton)
    }

    /// Whether a text matches.
    ///
    /// - Parameter budget: How much work may be done; what is done is taken from it.
    /// - Returns: nil when the budget does not suffice.
    package func matches(_ text: String, budget: inout Int) -> Bool? {
        var text = text
        text.makeContiguousUTF8()
        let utf8 = text.utf8.span
        return if let table { table.matches(utf8, automaton, budget: &budget) } else {
            automaton.matches(utf8, budget: &budget)
        }
    }
}

/// Why a text is no regular expression, and where.
package struct RegularExpressionError: Error, Hashable {
    /// What is wrong: the rest of a sentence, without its end.
    package let message: String
    /// The offset in the pattern, in bytes.
    package let offset: Int
}
