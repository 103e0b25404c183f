import Posts
import Tree

/// Keeps the forms of a name by which people are found, in `people/{uid}/_search_index`.
struct SearchKeys: Derivation {
    private static let index = TreePattern("people/*/_search_index")
    /// Where the forms are.
    static let places = [
        TreePattern("people/*/_search_index/full_name"), TreePattern("people/*/_search_index/reversed_full_name"),
    ]

    let place = TreePattern("people/*/full_name")

    func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        let index = Self.index.path(filledWith: node.keys)
        guard case .leaf(.string(let name)) = node.after else { return [TreeWrite(path: index, value: nil)] }
        return Self.writes(for: name, at: index)
    }

    static func writes(for name: String, at index: TreePath) -> [TreeWrite] {
        func form(_ text: String) -> TreeValue? { text.isEmpty ? nil : .string(text) }
        return [
            TreeWrite(path: index / "full_name", value: form(SearchKey.folded(name))),
            TreeWrite(path: index / "reversed_full_name", value: form(SearchKey.reversed(name))),
        ]
    }
}
