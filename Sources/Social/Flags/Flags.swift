package import API
import Foundation
package import Model
package import Tree

/// What people find that an admin should look at: posts and comments, at `postFlags` and `commentFlags`, each with who flags it.
package struct Flags: Sendable {
    /// The order of what is flagged.
    package enum Order: String, CaseIterable, Sendable {
        /// What most people have flagged comes first.
        case most
        /// What was flagged last comes first.
        case newest
    }

    /// How often what is gone is passed over before a page is shorter than it could be.
    private static let maxRounds = 5

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Has somebody flag a post or a comment; once more changes nothing.
    ///
    /// - Returns: The position in the change log from which on it holds.
    /// - Throws: `Failure` with the code `not_found`.
    package func add(by uid: UserID, to subject: FlagSubject) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            guard try subject.isVisible(to: uid, in: snapshot) else { throw Failure.nothingToFlag(subject) }
            if try !snapshot.exists(subject.flags / uid.key) { update[subject.flags / uid.key] = true }
        }.token
    }

    /// Has somebody flag a post or a comment no more.
    package func remove(by uid: UserID, from subject: FlagSubject) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            if try snapshot.exists(subject.flags / uid.key) {
                update[subject.flags / uid.key] = nil
            } else if try !subject.isVisible(to: uid, in: snapshot) {
                throw Failure.nothingToFlag(subject)
            }
        }.token
    }

    /// Takes what is flagged from the list of what admins are to look at, for good, whoever flags it later.
    ///
    /// - Throws: `Failure` with the code `not_found` for what nobody has flagged.
    package func dismiss(_ subject: FlagSubject) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            let old = try FlagRecord(of: subject, in: snapshot)
            guard old.count > 0 || old.isDismissed, try subject.path(in: snapshot) != nil else {
                throw Failure(.notFound, "nobody has flagged this", hint: "GET /v1/flags lists what somebody has")
            }
            guard !old.isDismissed else { return }
            var record = old
            record.isDismissed = true
            update.add(record.writes(replacing: old))
        }.token
    }

    /// A page of what is flagged and not dismissed.
    ///
    /// - Parameter cursor: The `next` of the page before.
    /// - Throws: `Failure` with the code `bad_request` for what is no cursor.
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
            throw Failure(.badRequest, "after is no cursor", hint: "use \"next\" of the page before, in the same order")
        }
        return path
    }
}

extension FlaggedDocument {
    /// What a row is about; nil when that is gone.
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
            .notFound, subject.comment == nil ? "there is no such post" : "there is no such comment",
            hint: "it may have been deleted already")
    }
}
