import Model
import Tree

/// Maintains the index of names: at ``PeopleNodes/name``, a row for each form of each name.
///
/// A row's key is the form and the person's id, so that the rows with a common prefix are adjacent, and those of one
/// name are in the order of the ids. Its value is the name's other form, if that differs: a reader can therefore tell
/// from one row whether the person has appeared before.
///
/// It exists in addition to `people/{uid}/_search_index`, which clients query, because a store's own rules need not
/// index that, and because a query there returns whole people.
struct NameIndex: Derivation {
    let place = TreePattern(PeopleNodes.person.path / "full_name")

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before != node.after, let uid = UserID(node.keys[0].string) else { return [] }
        let rows = try snapshot.isOn(.social, of: uid) ? Self.rows(of: node.after, uid) : []
        let gone = Self.rows(of: node.before, uid).filter { row in !rows.contains { $0.key == row.key } }
        return gone.map { TreeWrite(path: PeopleNodes.name() / $0.key.treeKey, value: nil) }
            + rows.map {
                TreeWrite(path: PeopleNodes.name() / $0.key.treeKey, value: $0.other.map(TreeValue.string) ?? true)
            }
    }

    /// Returns the writes that add the rows of a name, or remove them.
    static func writes(for name: String, of uid: UserID, isFound: Bool) -> [TreeWrite] {
        rows(of: .leaf(.string(name)), uid).map { row in
            let value = row.other.map(TreeValue.string) ?? true
            return TreeWrite(path: PeopleNodes.name() / row.key.treeKey, value: isFound ? value : nil)
        }
    }

    /// Whether a row belongs to the name of a person who may be found by it.
    static func hasCause(_ row: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard let uid = NameKey(row).uid, try snapshot.isOn(.social, of: uid),
            let name = try snapshot.nameAndPicture(of: uid).fullName
        else { return false }
        return rows(of: .leaf(.string(name)), uid).contains { $0.key.treeKey == row }
    }

    private static func rows(of name: NodeState, _ uid: UserID) -> [(key: NameKey, other: String?)] {
        guard case .leaf(.string(let name)) = name else { return [] }
        let (form, reversed) = (NameKey.form(SearchKey.folded(name)), NameKey.form(SearchKey.reversed(name)))
        guard !form.isEmpty else { return [] }
        guard form != reversed else { return [(NameKey(form, of: uid), nil)] }
        return [(NameKey(form, of: uid), reversed), (NameKey(reversed, of: uid), form)]
    }
}

/// The key of a row of ``NameIndex``: a form of a name, two spaces, and the person's id.
///
/// Neither forms nor ids contain two spaces, and no character of either sorts before a space: a name therefore precedes
/// all longer names that begin with it.
struct NameKey: Hashable {
    /// The longest form in a key, in bytes of UTF-8; longer forms are cut.
    static let maxFormBytes = 600

    let treeKey: TreeKey

    init(_ form: String, of uid: UserID) { treeKey = TreeKey(unchecked: "\(form)  \(uid)") }

    init(_ treeKey: TreeKey) { self.treeKey = treeKey }

    /// The person's id; nil for a malformed key.
    var uid: UserID? { treeKey.string.lastIndex(of: " ").flatMap { UserID(String(treeKey.string[$0...].dropFirst())) } }

    /// Returns a form of a name as in keys, whole or cut.
    static func form(_ text: String) -> String {
        guard text.utf8.count > maxFormBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maxFormBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text.unicodeScalars[..<end])
    }
}

/// The search text: the beginning of a form of a name.
package struct NamePrefix: Sendable, Hashable {
    /// The longest prefix, in bytes of UTF-8; it is shorter than the forms in the rows.
    private static let maxBytes = 400

    let text: String

    /// Folds a search text in the same way as names.
    ///
    /// - Returns: nil if the text is empty after folding, or too long.
    package init?(_ text: String) {
        self.text = SearchKey.folded(text)
        guard (1...Self.maxBytes).contains(self.text.utf8.count) else { return nil }
    }

    /// The range of rows that starts with the first possible match.
    ///
    /// The space prevents a number from being treated as an integer key; integer keys sort before all others.
    var rows: KeyRange { .from(TreeKey(unchecked: text + " ")) }

    func begins(_ key: TreeKey) -> Bool { key.string.utf8.starts(with: text.utf8) }

    func begins(_ form: String) -> Bool { form.utf8.starts(with: text.utf8) }
}
