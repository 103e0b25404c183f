import Model
import Tree

/// Maintains the forms of a name by which people are found, in `people/{uid}/_search_index`; none for people who do not
/// wish to be found (``SearchPrivacy``).
struct SearchKeys: Derivation {
    static let index = TreePattern(PeopleNodes.person.path / "_search_index")
    /// The paths of the forms.
    static let places = [
        TreePattern(PeopleNodes.person.path / "_search_index" / "full_name"),
        TreePattern(PeopleNodes.person.path / "_search_index" / "reversed_full_name"),
    ]

    let place = TreePattern(PeopleNodes.person.path / "full_name")

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let index = Self.index.path(filledWith: node.keys)
        guard case .leaf(.string(let name)) = node.after else { return [TreeWrite(path: index, value: nil)] }
        let isFound = try UserID(node.keys[0].string).map { uid throws(TreeError) in
            try snapshot.isOn(.social, of: uid)
        }
        return Self.writes(for: isFound ?? true ? name : nil, at: index)
    }

    /// - Parameter name: The name by which the person is found; nil for none.
    static func writes(for name: String?, at index: TreePath) -> [TreeWrite] {
        guard let name else { return [TreeWrite(path: index, value: nil)] }
        func form(_ text: String) -> TreeValue? { text.isEmpty ? nil : .string(text) }
        return [
            TreeWrite(path: index / "full_name", value: form(SearchKey.folded(name))),
            TreeWrite(path: index / "reversed_full_name", value: form(SearchKey.reversed(name))),
        ]
    }
}
