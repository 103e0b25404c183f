import Access
import Cryptography
package import Tree

/// A query for names in the bucket, for listings of folders (Google Cloud Storage, "Objects: list").
package struct ObjectQuery: Sendable {
    /// The largest number of names in a page.
    package static let maxCount = 1000

    /// The prefix of the names; empty for all.
    package var prefix = ""
    /// The end of a folder's name, usually `/`. Of the names that contain it after the prefix, only the part up to it
    /// is listed, once. Empty to list all names.
    package var delimiter = ""
    /// The largest number of names and folders in the page.
    package var limit = maxCount
    /// The end of the previous page: its last name or folder, in base64url; nil for the first page.
    package var pageToken: String?

    package init() {}
}

/// A page of the names in the bucket, in the order of their bytes.
package struct ObjectPage: Sendable, Hashable {
    /// The folders, each ending with the delimiter.
    package var prefixes: [String] = []
    package var names: [ObjectName] = []
    /// The token of the next page; nil for the last page.
    package var nextToken: String?
}

extension TreeSnapshot {
    /// Returns a page of names. This costs two searches for each name and each folder in it, however many names are in
    /// the folders.
    ///
    /// - Throws: The engine's failure. An invalid page token starts at the first page.
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

/// The iteration through the names for one page.
private struct ObjectWalk {
    private(set) var page = ObjectPage()
    private let prefix: [UInt8]
    private let delimiter: [UInt8]
    private let limit: Int
    /// The position of the next search; nil at the end.
    private var position: [UInt8]?
    /// Whether a name at the position itself is still to be read.
    private var isNew = true
    /// The number of names to read at once: small if each is in a folder of its own, because the rest of a folder is
    /// skipped.
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

    /// The next search; nil when the page is complete.
    var next: (path: TreePath, isNew: Bool, count: Int)? {
        position.map { (ObjectKey.path($0), isNew, batch) }
    }

    /// Adds the records that were found from the position on, in their order.
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

    /// Returns the folder after the prefix that contains a name; nil for none.
    private func folder(of name: [UInt8]) -> [UInt8]? {
        guard !delimiter.isEmpty, name.count >= prefix.count + delimiter.count else { return nil }
        for start in prefix.count...name.count - delimiter.count where name[start...].starts(with: delimiter) {
            return Array(name[..<(start + delimiter.count)])
        }
        return nil
    }

    /// Returns the first bytes that sort after everything with this prefix; nil if there are none.
    private static func successor(of bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.popLast() {
            guard last == 0xFF else { return bytes + [last + 1] }
        }
        return nil
    }
}
