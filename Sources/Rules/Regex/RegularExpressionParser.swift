/// Reads regular expressions.
///
/// Database rules support a part of JavaScript's syntax: classes, ranges, groups, alternatives, `* + ? {n} {n,} {n,m}`,
/// `.` and `\s \w \d \S \W \D`. At the start of the pattern and of a group, a character with a special meaning
/// elsewhere is literal.
struct RegularExpressionParser {
    /// The largest depth of nested groups.
    private static let maxDepth = 50
    /// The largest number in braces.
    private static let maxTimes = 1000

    private let scalars: [Unicode.Scalar]
    private let isCaseInsensitive: Bool
    private let dialect: RegularExpression.Dialect
    private var position = 0
    private var depth = 0

    init(_ pattern: String, isCaseInsensitive: Bool, dialect: RegularExpression.Dialect) {
        scalars = Array(pattern.unicodeScalars)
        self.isCaseInsensitive = isCaseInsensitive
        self.dialect = dialect
    }

    mutating func parse() throws(RegularExpressionError) -> RegularExpressionTree {
        guard !scalars.isEmpty else {
            guard dialect == .storage else { throw invalid("it is empty", at: 0) }
            return .sequence([])
        }
        let tree = try parseAlternatives()
        guard position == scalars.count else { throw invalid("an unmatched ')'", at: position) }
        return tree
    }

    // MARK: Characters

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private func invalid(_ message: String, at position: Int) -> RegularExpressionError {
        RegularExpressionError(
            message: message, offset: scalars.prefix(position).reduce(0) { $0 + String($1).utf8.count })
    }

    private func characters(_ ranges: CharacterRanges) -> RegularExpressionTree {
        .characters(isCaseInsensitive ? ranges.withBothCases : ranges)
    }

    // MARK: Structure

    private mutating func parseAlternatives() throws(RegularExpressionError) -> RegularExpressionTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else {
            throw invalid("more than \(Self.maxDepth) groups in each other", at: position)
        }
        var alternatives = [try parseSequence(isFirst: true)]
        while take("|") { alternatives.append(try parseSequence(isFirst: false)) }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func parseSequence(isFirst: Bool) throws(RegularExpressionError) -> RegularExpressionTree {
        let start = position
        var elements: [RegularExpressionTree] = []
        if isFirst, let literal = positionalLiteral() { elements.append(try parseRepetitions(of: literal)) }
        while let scalar = current, scalar != "|", scalar != ")" {
            let element = try parseElement()
            elements.append(try parseRepetitions(of: element))
        }
        guard !elements.isEmpty || dialect == .storage else { throw invalid("an empty alternative", at: start) }
        return elements.count == 1 ? elements[0] : .sequence(elements)
    }

    /// Reads the character at the start of the pattern or of a group that would have a special meaning elsewhere.
    private mutating func positionalLiteral() -> RegularExpressionTree? {
        guard dialect == .database, let scalar = current, "|)?+*{}".unicodeScalars.contains(scalar) else { return nil }
        // A parenthesis at the start of an empty group ends it.
        guard scalar != ")" || depth == 1 || scalars[position...].dropFirst().contains(")") else { return nil }
        position += 1
        return characters(CharacterRanges(scalar))
    }

    private mutating func parseElement() throws(RegularExpressionError) -> RegularExpressionTree {
        let start = position
        guard let scalar = current else { return .sequence([]) }
        position += 1
        switch scalar {
        case "^":
            guard start == 0 else { throw invalid("'^' stands only at the start", at: start) }
            return .start
        case "$":
            guard position == scalars.count, depth == 1 else { throw invalid("'$' stands only at the end", at: start) }
            return .end
        case ".": return .characters(CharacterRanges.lineEnds.inverted)
        case "(": return try parseGroup(from: start)
        case "[": return characters(try parseClass(from: start))
        case "\\": return characters(try parseEscape())
        case "*", "+", "?", "{": throw invalid("nothing to repeat before '\(scalar)'", at: start)
        default: return characters(CharacterRanges(scalar))
        }
    }

    private mutating func parseGroup(from start: Int) throws(RegularExpressionError) -> RegularExpressionTree {
        if dialect == .storage, take("?") {
            guard take(":") else { throw invalid("an unknown kind of group", at: start) }
        }
        let group = try parseAlternatives()
        guard take(")") else { throw invalid("a group has no end", at: start) }
        return group
    }

    // MARK: Repetitions

    private mutating func parseRepetitions(
        of element: RegularExpressionTree
    ) throws(RegularExpressionError) -> RegularExpressionTree {
        let start = position
        let times: (minimum: Int, maximum: Int?)
        switch current {
        case "*": times = (0, nil)
        case "+": times = (1, nil)
        case "?": times = (0, 1)
        case "{":
            times = try parseTimes()
            position -= 1
        default: return element
        }
        position += 1
        switch element {
        case .start, .end: throw invalid("nothing to repeat before '\(scalars[start])'", at: start)
        default: break
        }
        // A lazy repetition matches the same texts.
        if dialect == .storage { _ = take("?") }
        if let next = current, "*+?{".unicodeScalars.contains(next) {
            throw invalid("nothing to repeat before '\(next)'", at: position)
        }
        return .repeated(element, minimum: times.minimum, maximum: times.maximum)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`.
    private mutating func parseTimes() throws(RegularExpressionError) -> (minimum: Int, maximum: Int?) {
        let start = position
        position += 1
        guard let minimum = parseNumber() else { throw invalid("'{' without a number of times", at: start) }
        var maximum: Int? = minimum
        if take(",") { maximum = current == "}" ? nil : parseNumber() ?? -1 }
        guard take("}"), minimum <= maximum ?? minimum else {
            throw invalid("'{' without a number of times", at: start)
        }
        guard max(minimum, maximum ?? 0) <= Self.maxTimes else {
            throw invalid("a repetition of more than \(Self.maxTimes) times", at: start)
        }
        return (minimum, maximum)
    }

    private mutating func parseNumber() -> Int? {
        var number: Int?
        while let scalar = current, ("0"..."9").contains(scalar) {
            number = min((number ?? 0) * 10 + Int(scalar.value - 0x30), Self.maxTimes + 1)
            position += 1
        }
        return number
    }

    // MARK: Classes

    private mutating func parseClass(from start: Int) throws(RegularExpressionError) -> CharacterRanges {
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while let scalar = current, scalar != "]" {
            let itemStart = position
            let item = try parseClassItem()
            guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges += item.ranges
                continue
            }
            position += 1
            let upper = try parseClassItem()
            guard let first = item.only, let last = upper.only, first <= last else {
                throw invalid("a range of characters that has none", at: itemStart)
            }
            ranges.append(first...last)
        }
        guard take("]") else { throw invalid("a class of characters has no end", at: start) }
        guard !ranges.isEmpty else { throw invalid("an empty class of characters", at: start) }
        let set = CharacterRanges(ranges)
        guard isNegated else { return set }
        return (isCaseInsensitive ? set.withBothCases : set).inverted
    }

    private mutating func parseClassItem() throws(RegularExpressionError) -> CharacterRanges {
        guard let scalar = current else { throw invalid("a class of characters has no end", at: position) }
        position += 1
        return scalar == "\\" ? try parseEscape() : CharacterRanges(scalar)
    }

    /// Reads the rest of an escape after the backslash.
    private mutating func parseEscape() throws(RegularExpressionError) -> CharacterRanges {
        guard let scalar = current else { throw invalid("nothing after the last '\\'", at: position - 1) }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return CharacterRanges.digits.inverted
        case "w": return .wordCharacters
        case "W": return CharacterRanges.wordCharacters.inverted
        case "s": return .spaces
        case "S": return CharacterRanges.spaces.inverted
        case "n": return CharacterRanges("\n")
        case "r": return CharacterRanges("\r")
        case "t": return CharacterRanges("\t")
        case "f": return CharacterRanges("\u{C}")
        case "v": return CharacterRanges("\u{B}")
        case "a"..."z", "A"..."Z", "0"..."9": throw invalid("an unknown escape '\\\(scalar)'", at: position - 2)
        default: return CharacterRanges(scalar)
        }
    }
}

extension CharacterRanges {
    /// The only character of the set; nil if it does not have exactly one.
    fileprivate var only: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }
}
