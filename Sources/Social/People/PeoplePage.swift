import Foundation
package import Model
package import Tree

/// A page of people with their names, pictures and times.
///
/// It reads only two fields of each person's record, because the record also contains all posts.
package struct PeoplePage: Sendable {
    /// A person of a page.
    package struct Item: Sendable, Hashable {
        package let person: Person
        package let times: EntityTimes

        fileprivate init(_ uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) {
            let (name, picture) = try snapshot.nameAndPicture(of: uid)
            person = Person(uid: uid, fullName: name, profilePicture: picture)
            times = try EntityTimes(at: TimeNodes.person(uid), in: snapshot)
        }
    }

    private var rows = PageRows<Item, TreeKey>()

    package var items: [Item] { rows.items }
    package var people: [Person] { items.map(\.person) }
    /// Whether more people follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// A position in the change log; the page contains all changes up to it.
    package var token: SyncToken? { rows.token }

    /// The cursor of the next page; nil on the last page.
    package var next: PeopleCursor? { rows.next.map { PeopleCursor($0) } }

    /// Continues in a snapshot of the tree, among the people whose ids are the keys of a list.
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
            // People who do not wish to be found by name are also left out of the list of all people.
            if list == PeopleNodes.person(), try !snapshot.isOn(.social, of: uid) { return .hidden }
            return .item(try Item(uid, in: snapshot))
        }
    }

    /// Continues in a snapshot of the tree, among the people whose names begin with a prefix.
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
            // A person who matches by both forms of the name appears at the first.
            if let other = row.value.stringValue, prefix.begins(other), NameKey(other, of: uid).treeKey < row.key {
                return .hidden
            }
            return .item(try Item(uid, in: snapshot))
        }
    }
}

/// The start of a page of people: the key of the row before it, in base64url (RFC 4648 §5).
package struct PeopleCursor: Sendable, Hashable, CustomStringConvertible {
    let key: TreeKey

    init(_ key: TreeKey) { self.key = key }

    /// Parses a cursor; nil if it is malformed.
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
