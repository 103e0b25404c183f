package import API
import Foundation
package import Model
package import Tree

/// Flags, by which people report posts and comments to admins: at `postFlags` and `commentFlags`, by the people who
/// flag them.
package struct Flags: Sendable {
    /// The order of flagged posts and comments.
    package enum Order: String, CaseIterable, Sendable {
        /// The order by the number of flags, the most first.
        case most
        /// The order by the time of the first flag, the newest first.
        case newest
    }

    /// The number of times that deleted subjects are skipped before a page may be shorter than its limit.
    private static let maxRounds = 5

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Adds a person's flag of a post or a comment; an existing flag stays unchanged.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log from which the flag is visible.
    /// - Throws: `Failure` with the code `not_found` or `key_reused`.
    package func add(by uid: UserID, to subject: FlagSubject, as key: RequestKey? = nil) async throws -> SyncToken {
        try await tree.transact(once: key) { snapshot, update in
            guard try subject.isVisible(to: uid, in: snapshot) else { throw Failure.nothingToFlag(subject) }
            if try !snapshot.exists(subject.flags / uid.key) { update[subject.flags / uid.key] = true }
        }.token
    }

    /// Removes a person's flag of a post or a comment.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log from which the flag is gone.
    /// - Throws: `Failure` with the code `not_found` or `key_reused`.
    package func remove(by uid: UserID, from subject: FlagSubject, as key: RequestKey? = nil) async throws -> SyncToken
    {
        try await tree.transact(once: key) { snapshot, update in
            if try snapshot.exists(subject.flags / uid.key) {
                update[subject.flags / uid.key] = nil
            } else if try !subject.isVisible(to: uid, in: snapshot) {
                throw Failure.nothingToFlag(subject)
            }
        }.token
    }

    /// Whether a person flags a post or a comment.
    package func has(by uid: UserID, of subject: FlagSubject) async throws -> Bool {
        try await tree.snapshot { try $0.exists(subject.flags / uid.key) }
    }

    /// Removes a flagged post or comment permanently from the list for admins, whatever flags follow.
    ///
    /// - Throws: `Failure` with the code `not_found` if it has no flags.
    package func dismiss(_ subject: FlagSubject) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            let old = try FlagRecord(of: subject, in: snapshot)
            guard old.count > 0 || old.isDismissed, try subject.path(in: snapshot) != nil else {
                throw Failure(.notFound, "nobody has flagged this", hint: "List flagged posts with GET /v1/flags.")
            }
            guard !old.isDismissed else { return }
            var record = old
            record.isDismissed = true
            update.add(record.writes(replacing: old))
        }.token
    }

    /// Returns a page of the flagged posts and comments that have not been dismissed.
    ///
    /// - Parameter cursor: The `next` of the previous page.
    /// - Throws: `Failure` with the code `bad_request` for a malformed cursor.
    package func page(
        _ order: Order, after cursor: String?, limit: Int
    ) async throws -> (document: FlaggedPageDocument, token: SyncToken) {
        let place = TreePattern(
            (order == .most ? ReactionNodes.mostFlags() : ReactionNodes.newestFlag()) / "*" / "*" / "*" / "*")
        let first = try cursor.map { try Self.row($0, in: place) }
        return try await tree.snapshot { snapshot in
            var flagged: [(row: TreePath, document: FlaggedDocument)] = []
            var last = first
            var isEnd = false
            for _ in 0..<Self.maxRounds where flagged.count <= limit && !isEnd {
                let rows = try place.nodes(in: snapshot, after: last, limit: limit + 1)
                isEnd = rows.count <= limit
                for row in rows where flagged.count <= limit {
                    last = row
                    guard let document = try FlaggedDocument(row, in: snapshot) else { continue }
                    flagged.append((row, document))
                }
            }
            let hasMore = flagged.count > limit || !isEnd
            let end = flagged.count > limit ? flagged[limit - 1].row : last
            return (
                FlaggedPageDocument(
                    flagged: flagged.prefix(limit).map(\.document), next: hasMore ? end.map(Self.cursor) : nil),
                try snapshot.token
            )
        }
    }

    // MARK: Cursors

    private static func cursor(_ row: TreePath) -> String {
        Data(row.description.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func row(_ cursor: String, in place: TreePattern) throws(Failure) -> TreePath {
        let text = cursor.replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let description = String(data: data, encoding: .utf8),
            let path = try? TreePath(description, in: place.path.namespace), path.keys.count == place.path.keys.count,
            path.keys.first == place.path.keys.first
        else {
            throw Failure(
                .badRequest, "after is not a cursor", hint: "Use \"next\" of the last page of the same order.")
        }
        return path
    }
}

extension FlaggedDocument {
    /// Creates the document of a row; nil if the post or comment has been deleted.
    fileprivate init?(_ row: TreePath, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let subject = FlagSubject(row), let path = try subject.path(in: snapshot) else { return nil }
        let record = try FlagRecord(of: subject, in: snapshot)
        let uid = try snapshot.get(path / "author" / "uid")?.stringValue.flatMap { UserID($0) }
        let author = try uid.map { uid throws(TreeError) in
            let (name, picture) = try snapshot.nameAndPicture(of: uid)
            return PersonDocument(uid: uid.description, fullName: name ?? uid.description, profilePicture: picture)
        }
        self.init(
            postID: subject.post.string, commentID: subject.comment?.string, flags: record.count,
            since: record.since.milliseconds,
            author: author, text: try snapshot.get(path / "text")?.stringValue)
    }
}

extension Failure {
    fileprivate static func nothingToFlag(_ subject: FlagSubject) -> Failure {
        Failure(
            .notFound, subject.comment == nil ? "the post does not exist" : "the comment does not exist",
            hint: "It may have been deleted already.")
    }
}
