/// A regular expression that is matched in linear time: it is compiled to an automaton, without backtracking.
///
/// (Thompson, "Regular Expression Search Algorithm", CACM 1968.)
package struct RegularExpression: Sendable {
    /// The supported syntax, and the text that an expression has to match.
    package enum Dialect: Sendable {
        /// The dialect of database rules, which matches anywhere in a text: `^` only as the first character, `$` only
        /// as the last one.
        case database
        /// The dialect of storage rules, which matches a whole text: with lazy repetitions and non-capturing groups.
        case storage
    }

    /// The nondeterministic automaton, whose states are positions in the expression.
    private let automaton: Automaton
    /// The deterministic automaton, whose states are sets of positions; nil if it would be too large.
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
    /// - Parameter budget: The remaining work; the work done is subtracted from it.
    /// - Returns: nil if the budget does not suffice.
    package func matches(_ text: String, budget: inout Int) -> Bool? {
        var text = text
        text.makeContiguousUTF8()
        let utf8 = text.utf8.span
        return if let table { table.matches(utf8, automaton, budget: &budget) } else {
            automaton.matches(utf8, budget: &budget)
        }
    }
}

/// The reason why a text is not a regular expression, and its offset.
package struct RegularExpressionError: Error, Hashable {
    /// The description of the error: the rest of a sentence, without its end.
    package let message: String
    /// The offset in the pattern, in bytes.
    package let offset: Int
}
