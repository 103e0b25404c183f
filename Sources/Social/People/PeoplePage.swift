import Foundation
package import Posts
package import Tree

/// A page of people with their names and pictures.
///
/// Of each person it reads these two fields, and not the record, of which all posts are a part.
package struct PeoplePage: Sendable {
    /// The number of rows that one state of the tree is read for, once it is clear that some are passed over.
    private static let batch = 200

    package private(set) var people: [Person] = []
    /// Whether people follow this page.
    package private(set) var hasMore = false
    /// A position in the change log up to which everything is in the page.
    package private(set) var token: SyncToken?
    /// The key of the last row that the page has, or has passed over.
    private var end: TreeKey?

    /// The cursor of the page after this one; nil when this is the last.
    package var next: PeopleCursor? { hasMore ? end.map { PeopleCursor($0) } : nil }

    /// Reads on, in one state of the tree, among the people whose ids are the keys of a list.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ list: TreePath, after cursor: PeopleCursor?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        let wanted = try begin(limit, snapshot)
        let range = (end ?? cursor?.key).map { KeyRange.after($0) } ?? .all
        let keys = try snapshot.keys(of: list, range: range, limit: wanted)
        for key in keys {
            var uid = UserID(key.string)
            // Whoever does not want to be found by a name is not found in the list of all, either.
            if list == Paths.people, let person = uid, try !snapshot.isOn(.social, of: person) { uid = nil }
            if try add(uid, at: key, limit, snapshot) { return true }
        }
        return keys.count < wanted
    }

    /// Reads on, in one state of the tree, among the people whose names begin with something.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ prefix: NamePrefix, after cursor: PeopleCursor?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        let wanted = try begin(limit, snapshot)
        let range = (end ?? cursor?.key).map { KeyRange.after($0) } ?? prefix.rows
        let rows = try snapshot.children(of: Paths.names, range: range, limit: wanted)
        for row in rows {
            guard prefix.begins(row.key) else { return true }
            var uid = NameKey(row.key).uid
            // Whoever is found by both forms of the name is in the place of the first.
            if let found = uid, let other = row.value.stringValue, prefix.begins(other),
                NameKey(other, of: found).treeKey < row.key
            {
                uid = nil
            }
            if try add(uid, at: row.key, limit, snapshot) { return true }
        }
        return rows.count < wanted
    }

    private mutating func begin(_ limit: Int, _ snapshot: TreeSnapshot) throws(TreeError) -> Int {
        if token == nil { token = try snapshot.token }
        return end == nil ? limit + 1 : Self.batch
    }

    /// Takes the person of a row, or passes the row over if there is none.
    ///
    /// - Returns: Whether the page was full before.
    private mutating func add(
        _ uid: UserID?, at key: TreeKey, _ limit: Int, _ snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        if let uid {
            guard people.count < limit else {
                hasMore = true
                return true
            }
            let (name, picture) = try snapshot.nameAndPicture(of: uid)
            people.append(Person(uid: uid, fullName: name, profilePicture: picture))
        }
        end = key
        return false
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
