import Foundation
package import Model
package import Tree

/// A page of people with their names and pictures.
///
/// Of each person it reads these two fields, and not the record, of which all posts are a part.
package struct PeoplePage: Sendable {
    private var rows = PageRows<Person, TreeKey>()

    package var people: [Person] { rows.items }
    /// Whether people follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// A position in the change log up to which everything is in the page.
    package var token: SyncToken? { rows.token }

    /// The cursor of the page after this one; nil when this is the last.
    package var next: PeopleCursor? { rows.next.map { PeopleCursor($0) } }

    /// Reads on, in one state of the tree, among the people whose ids are the keys of a list.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ list: TreePath, after cursor: PeopleCursor?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        try rows.readOn(limit: limit, from: snapshot) { (end: TreeKey?, limit: Int) throws(TreeError) -> [TreeKey] in
            let range = (end ?? cursor?.key).map { KeyRange.after($0) } ?? .all
            return try snapshot.keys(of: list, range: range, limit: limit)
        } position: {
            $0
        } read: { key throws(TreeError) in
            guard let uid = UserID(key.string) else { return .hidden }
            // Whoever does not want to be found by a name is not found in the list of all, either.
            if list == PeopleNodes.person(), try !snapshot.isOn(.social, of: uid) { return .hidden }
            return .item(try Person(uid, in: snapshot))
        }
    }

    /// Reads on, in one state of the tree, among the people whose names begin with something.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ prefix: NamePrefix, after cursor: PeopleCursor?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        try rows.readOn(limit: limit, from: snapshot) { (end: TreeKey?, limit: Int) throws(TreeError) -> [TreeChild] in
            let range = (end ?? cursor?.key).map { KeyRange.after($0) } ?? prefix.rows
            return try snapshot.children(of: PeopleNodes.name(), range: range, limit: limit)
        } position: {
            $0.key
        } read: { row throws(TreeError) in
            guard prefix.begins(row.key) else { return .end }
            guard let uid = NameKey(row.key).uid else { return .hidden }
            // Whoever is found by both forms of the name is in the place of the first.
            if let other = row.value.stringValue, prefix.begins(other), NameKey(other, of: uid).treeKey < row.key {
                return .hidden
            }
            return .item(try Person(uid, in: snapshot))
        }
    }
}

extension Person {
    fileprivate init(_ uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) {
        let (name, picture) = try snapshot.nameAndPicture(of: uid)
        self.init(uid: uid, fullName: name, profilePicture: picture)
    }
}

/// Where a page of people begins: behind a row, whose key it has, in base64url (RFC 4648 §5).
package struct PeopleCursor: Sendable, Hashable, CustomStringConvertible {
    let key: TreeKey

    init(_ key: TreeKey) { self.key = key }

    /// Reads a cursor; nil when it is none.
    package init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard base64.utf8.count <= 2 * TreeKey.maxBytes, let bytes = Data(base64Encoded: base64 + padding),
            let key = String(validating: Array(bytes).span).flatMap({ try? TreeKey($0) })
        else { return nil }
        self.key = key
    }

    package var description: String {
        Data(key.string.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
