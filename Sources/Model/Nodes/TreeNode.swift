package import Tree
package import TreeModel

/// A node of the tree's layout: where it stands, what it holds, and who writes it. Each node of each tree is declared once,
/// in a file of this folder; `Documentation/Tree.md` is made of them.
///
/// A node is called with keys for its path: for `likes/{post}/{uid}`, `node()` is `likes`, `node(post)` is `likes/{post}`, and
/// `node(post, uid)` is the whole path. More is added with `/`.
package final class TreeNode: Sendable {
    /// The writers of the node.
    package enum Writer: String, Sendable {
        /// Clients of the database, as far as the rules let them; and the service, in their name.
        case clients
        /// The service alone.
        case service
        /// A derivation, in the commit of its cause.
        case derived
    }

    /// The path, with `*` for the keys that are data.
    package let path: TreePath
    /// The path as documents have it, with names for the keys that are data: `likes/{post}/{uid}`.
    package let template: String
    package let writer: Writer
    /// The value, and the type that reads and writes it, where it has one of its own.
    package let summary: String
    package let record: String?
    /// The fields of a record that clients write; the default rules refuse others, but for an admin.
    package let fields: [String]
    /// The orders of the list of these nodes that the default rules have an index for (`.indexOn`).
    package let indexes: [String]
    /// The reason for which no rule of an audit looks at the node; nil where one does.
    package let unaudited: String?

    /// The path up to the first wildcard, up to the second, and so on: what is there before a key is put in.
    private let prefixes: [[TreeKey]]

    /// - Parameters:
    ///   - template: The path, with names in braces for the keys that are data; a mistake in it traps.
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

    /// The first key, by which nodes of one tree are told apart.
    package var root: TreeKey { path.keys[0] }

    /// All nodes of this kind.
    package var pattern: TreePattern { TreePattern(path) }

    // MARK: Paths

    /// The list of all nodes of this kind; the node itself when there is one alone.
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
