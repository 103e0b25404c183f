@testable import Rules

/// Matches regular expressions by trying everything. It uses the parser's trees, and nothing else of the engine.
struct NaiveMatcher {
    private let tree: RegularExpressionTree

    init(_ pattern: String, isCaseInsensitive: Bool = false, dialect: RegularExpression.Dialect = .database) throws {
        var parser = RegularExpressionParser(pattern, isCaseInsensitive: isCaseInsensitive, dialect: dialect)
        tree = try parser.parse()
    }

    /// Whether the expression matches anywhere in a text.
    func finds(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return (0...scalars.count).contains { !ends(of: tree, in: scalars, from: $0).isEmpty }
    }

    /// Whether the whole text matches.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return ends(of: tree, in: scalars, from: 0).contains(scalars.count)
    }

    /// Returns all positions where a match that begins at a position can end.
    private func ends(of tree: RegularExpressionTree, in text: [Unicode.Scalar], from start: Int) -> Set<Int> {
        switch tree {
        case .characters(let characters):
            guard start < text.count, characters.ranges.contains(where: { $0.contains(text[start].value) }) else {
                return []
            }
            return [start + 1]
        case .start: return start == 0 ? [0] : []
        case .end: return start == text.count ? [start] : []
        case .sequence(let trees):
            return trees.reduce([start]) { starts, tree in
                Set(starts.flatMap { ends(of: tree, in: text, from: $0) })
            }
        case .alternatives(let trees): return Set(trees.flatMap { ends(of: $0, in: text, from: start) })
        case .repeated(let tree, let minimum, let maximum):
            var (reached, all, times): (Set<Int>, Set<Int>, Int) = ([start], minimum == 0 ? [start] : [], 0)
            while !reached.isEmpty, times < maximum ?? (minimum + text.count + 1) {
                reached = Set(reached.flatMap { ends(of: tree, in: text, from: $0) })
                times += 1
                if times >= minimum { all.formUnion(reached) }
            }
            return all
        }
    }
}
