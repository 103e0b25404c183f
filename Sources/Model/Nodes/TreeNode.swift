package import Tree
package import TreeModel

/// A node of the tree's layout: its path, its value, and its writer. Each node of each tree is declared once, in a file
/// of this folder; `Documentation/Tree.md` is created from the declarations.
///
/// A node is called with the keys of its path: for `likes/{post}/{uid}`, `node()` is `likes`, `node(post)` is
/// `likes/{post}`, and `node(post, uid)` is the whole path. `/` appends further keys.
package final class TreeNode: Sendable {
    /// The writers of the node.
    package enum Writer: String, Sendable {
        /// Clients of the database, as far as the rules allow; and the service on their behalf.
        case clients
        /// The service alone.
        case service
        /// A derivation, in the commit of its cause.
        case derived
    }

    /// The path, with `*` for the keys that are data.
    package let path: TreePath
    /// The path as documents show it, with names for the keys that are data: `likes/{post}/{uid}`.
    package let template: String
    package let writer: Writer
    /// The description of the value; the type that reads and writes it is in `record`, if it has one.
    package let summary: String
    package let record: String?
    /// The fields of a record that clients may write; the default rules refuse others, except from an admin.
    package let fields: [String]
    /// The orders that the default rules index for the list of these nodes (`.indexOn`).
    package let indexes: [String]
    /// The reason why no rule of a store check covers the node; nil if one does.
    package let unaudited: String?

    /// The path up to the first wildcard, up to the second, and so on: the parts before a key is inserted.
    private let prefixes: [[TreeKey]]

    /// - Parameters:
    ///   - template: The path, with names in braces for the keys that are data; traps if it is invalid.
    ///   - record: The name of the type that reads and writes the value.
    package init(
        _ template: String, in namespace: Namespace = .main, _ writer: Writer, _ summary: String, record: String? = nil,
        fields: [String] = [], indexes: [String] = [], unaudited: String? = nil
    ) {
        let keys = template.split(separator: "/").map { part in
            precondition(part.first == "{" || TreeKey.complaint(about: String(part).utf8.span) == nil, "\(part)")
            return part.first == "{" ? "*" : TreeKey(unchecked: String(part))
        }
        path = TreePath(keys, in: namespace)
        prefixes = (keys.indices.filter { keys[$0] == "*" } + [keys.count]).map { Array(keys[..<$0]) }
        self.template = template
        self.writer = writer
        self.summary = summary
        self.record = record
        self.fields = fields
        self.indexes = indexes
        self.unaudited = unaudited
    }

    /// The first key, which is unique among the nodes of a tree.
    package var root: TreeKey { path.keys[0] }

    /// All nodes of this kind.
    package var pattern: TreePattern { TreePattern(path) }

    // MARK: Paths

    /// The list of all nodes of this kind; the node itself if its path has no keys that are data.
    package func callAsFunction() -> TreePath { path(filled: []) }

    /// The path up to the second key that is data.
    package func callAsFunction(_ key: some NodeKey) -> TreePath { path(filled: [key.key]) }

    /// The path up to the third key that is data.
    package func callAsFunction(_ first: some NodeKey, _ second: some NodeKey) -> TreePath {
        path(filled: [first.key, second.key])
    }

    /// The path up to the fourth key that is data.
    package func callAsFunction(
        _ first: some NodeKey, _ second: some NodeKey, _ third: some NodeKey
    ) -> TreePath {
        path(filled: [first.key, second.key, third.key])
    }

    private func path(filled data: [TreeKey]) -> TreePath {
        precondition(data.count < prefixes.count, "\(template) has fewer keys that are data")
        var keys = prefixes[data.count]
        for (index, key) in data.enumerated() { keys[prefixes[index].count] = key }
        return TreePath(keys, in: path.namespace)
    }
}

/// An id that is a key of the tree.
package protocol NodeKey {
    var key: TreeKey { get }
}

extension UserID: NodeKey {}
extension AudienceID: NodeKey {}
extension PushID: NodeKey {}
extension TreeKey: NodeKey {
    package var key: TreeKey { self }
}
