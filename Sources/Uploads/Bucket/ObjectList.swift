import Access
import Cryptography
package import Tree

/// A question for the names in the bucket, as clients list folders (Google Cloud Storage, "Objects: list").
package struct ObjectQuery: Sendable {
    /// The most names of one page.
    package static let maxCount = 1000

    /// What the names begin with; empty for all.
    package var prefix = ""
    /// What ends the name of a folder, mostly `/`: of names that have it behind the prefix only the part up to it is listed,
    /// once. Empty to list all names.
    package var delimiter = ""
    /// How many names and folders are wanted.
    package var limit = maxCount
    /// Where the page before ended: the last name or folder of it, in base64url; nil for the first.
    package var pageToken: String?

    package init() {}
}

/// A page of the names in the bucket, in the order of their bytes.
package struct ObjectPage: Sendable, Hashable {
    /// Folders: each ends with the delimiter.
    package var prefixes: [String] = []
    package var names: [ObjectName] = []
    /// Where the next page begins; nil when there is none.
    package var nextToken: String?
}

extension TreeSnapshot {
    /// A page of names; costs two searches for each name and each folder in it, however many names are in the folders.
    ///
    /// - Throws: The engine's failure. A page token that is none begins at the beginning.
    package func objects(_ query: ObjectQuery) throws(TreeError) -> ObjectPage {
        var walk = ObjectWalk(query)
        while let (path, isNew, count) = walk.next {
            var found: [TreePath] = []
            if isNew, try exists(path) { found.append(path) }
            found += try ObjectKey.pattern.nodes(in: self, after: path, limit: count)
            walk.take(found)
        }
        return walk.page
    }
}

/// The way through the names for one page.
private struct ObjectWalk {
    private(set) var page = ObjectPage()
    private let prefix: [UInt8]
    private let delimiter: [UInt8]
    private let limit: Int
    /// Where to go on; nil at the end.
    private var position: [UInt8]?
    /// Whether a name at the position itself was not looked at yet.
    private var isNew = true
    /// How many names to read at once: few where each is in a folder of its own, as the rest of a folder is passed over.
    private var batch = 2
    private var last: [UInt8] = []

    init(_ query: ObjectQuery) {
        prefix = Array(query.prefix.utf8)
        delimiter = Array(query.delimiter.utf8)
        limit = max(1, min(query.limit, ObjectQuery.maxCount))
        position = prefix
        guard let token = query.pageToken.flatMap({ Base64URL.decode($0.utf8) }), token.starts(with: prefix) else {
            return
        }
        if let folder = folder(of: token) {
            position = Self.successor(of: folder)
        } else {
            (position, isNew) = (token, false)
        }
    }

    /// What to look up next; nil when the page is complete.
    var next: (path: TreePath, isNew: Bool, count: Int)? {
        position.map { (ObjectKey.path($0), isNew, batch) }
    }

    /// Takes the records in that were found from the position on, in their order.
    mutating func take(_ found: [TreePath]) {
        let isLast = found.count < batch
        batch = min(batch * 2, 256)
        for path in found {
            guard let name = ObjectKey.name(at: path) else { continue }
            let bytes = Array(name.description.utf8)
            guard bytes.starts(with: prefix) else {
                position = nil
                return
            }
            guard page.names.count + page.prefixes.count < limit else {
                page.nextToken = Base64URL.encode(last)
                position = nil
                return
            }
            if let folder = folder(of: bytes) {
                page.prefixes.append(String(decoding: folder, as: UTF8.self))
                last = folder
                (position, isNew, batch) = (Self.successor(of: folder), true, 2)
                return
            }
            page.names.append(name)
            last = bytes
            (position, isNew) = (bytes, false)
        }
        if isLast { position = nil }
    }

    /// The folder behind the prefix that a name is in; nil for none.
    private func folder(of name: [UInt8]) -> [UInt8]? {
        guard !delimiter.isEmpty, name.count >= prefix.count + delimiter.count else { return nil }
        for start in prefix.count...name.count - delimiter.count where name[start...].starts(with: delimiter) {
            return Array(name[..<(start + delimiter.count)])
        }
        return nil
    }

    /// The first bytes behind all that begin with these; nil where nothing can be.
    private static func successor(of bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.popLast() {
            guard last == 0xFF else { return bytes + [last + 1] }
        }
        return nil
    }
}
