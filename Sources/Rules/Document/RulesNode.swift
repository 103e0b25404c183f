package import TreeModel

/// A node of a rules document: the rules for the nodes of the tree at its path.
package final class RulesNode: Sendable {
    /// The key of the node in its parent, such as `posts`, or `$post`; empty for the top.
    package let name: String
    /// The children for literal keys.
    package let children: [TreeKey: RulesNode]
    /// The child for all other keys, whose name begins with `$`.
    package let wildcard: RulesNode?
    package let read: Rule?
    package let write: Rule?
    package let validate: Rule?
    /// The indexes (`.indexOn`).
    package let indexes: [RulesIndex]
    /// The time for which a node is kept after its last write (`.ttl`), in milliseconds; nil for no limit.
    package let timeToLiveMilliseconds: Int64?
    /// Whether there is a `.validate` below this node.
    let hasValidateBelow: Bool

    init(_ draft: RulesNodeDraft) {
        name = draft.name
        children = draft.children
        wildcard = draft.wildcard
        read = draft.rules[.read]
        write = draft.rules[.write]
        validate = draft.rules[.validate]
        indexes = draft.indexes
        timeToLiveMilliseconds = draft.timeToLiveMilliseconds
        let below = Array(draft.children.values) + [draft.wildcard].compactMap(\.self)
        hasValidateBelow = below.contains { $0.validate != nil || $0.hasValidateBelow }
    }

    /// Returns the rules for one key below this node: those of the literal child, else those of the wildcard.
    package func child(for key: String) -> RulesNode? {
        children.isEmpty ? wildcard : children[TreeKey(unchecked: key)] ?? wildcard
    }

    /// Returns the rules for the node of the tree at a path; nil if there are none.
    package func node(at path: [String]) -> RulesNode? {
        var node = self
        for key in path {
            guard let child = node.child(for: key) else { return nil }
            node = child
        }
        return node
    }
}

/// A node of a rules document that has not been read to its end.
struct RulesNodeDraft {
    let name: String
    var children: [TreeKey: RulesNode] = [:]
    var wildcard: RulesNode?
    var rules: [Rule.Kind: Rule] = [:]
    var indexes: [RulesIndex] = []
    var timeToLiveMilliseconds: Int64?
    /// The keys read so far; compared by their bytes.
    var keys: Set<TreeKey> = []

    init(name: String) { self.name = name }
}
