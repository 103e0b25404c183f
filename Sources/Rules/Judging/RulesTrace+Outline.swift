/// An evaluated part of a rule with its value, indented below the part that contains it.
package struct RulesOutline: Sendable, Hashable {
    /// The number of parts that contain this one.
    package let depth: Int
    package let text: String
    package let value: String
}

extension RulesTrace.Evaluation {
    /// The parts of the rule, each followed by its own parts. Nodes are left out: the values of their methods are
    /// listed.
    package var outline: [RulesOutline] {
        // Parts are evaluated before the part that contains them: each adopts those within its range, the last ones
        // first.
        var trees: [Tree] = []
        for value in values {
            let start = (trees.lastIndex { !value.range.encloses($0.value.range) } ?? -1) + 1
            let parts = Array(trees[start...])
            trees.removeSubrange(start...)
            trees.append(Tree(value: value, parts: parts))
        }
        var lines: [RulesOutline] = []
        for tree in trees { tree.append(to: &lines, depth: 0) }
        return lines
    }

    private struct Tree {
        let value: RulesTrace.Value
        let parts: [Tree]

        /// Appends the lines, to the depth of the expression, which the parser limits.
        func append(to lines: inout [RulesOutline], depth: Int) {
            if !value.isNode { lines.append(RulesOutline(depth: depth, text: value.text, value: value.value)) }
            for part in parts { part.append(to: &lines, depth: value.isNode ? depth : depth + 1) }
        }
    }
}

extension Range<Int> {
    fileprivate func encloses(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
