package import TreeModel

extension TreeNode {
    /// All nodes; a value at another path has no owner.
    package static let all =
        PeopleNodes.all + PostNodes.all + ReactionNodes.all + AudienceNodes.all + FeedNodes.all + NotificationNodes.all
        + OutboxNodes.all + WorkNodes.all + UploadNodes.all + FileNodes.all + ObjectNodes.all + UsageNodes.all
        + StoreNodes.all + AccountNodes.all + TimeNodes.all

    /// Returns the node that a path is at or below; nil if the layout has none.
    package static func node(at path: TreePath) -> TreeNode? {
        all.first { node in
            node.path.namespace == path.namespace && node.path.depth <= path.depth
                && zip(node.path.keys, path.keys).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    /// The table of all nodes, in Markdown: tree, path, value, the type that reads and writes it, and its writers.
    package static var table: [String] {
        let rows = all.map { node in
            let name = node.path.namespace.name
            return "| \(name.isEmpty ? "" : "`\(name.dropFirst())`") | `\(node.template)` | \(node.summary) | "
                + "\(node.record.map { "`\($0)`" } ?? "") | \(node.writer.rawValue) |"
        }
        return ["| tree | path | value | type | written by |", "| --- | --- | --- | --- | --- |"] + rows
    }
}
