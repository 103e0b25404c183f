package import API
import Access
package import Database
import Hummingbird
package import Model
package import Requests
import Social
package import Tree

/// A post that the requester may read: a public one, or one for audiences of theirs, which is shown without the other
/// audiences.
package struct ReadablePost: Sendable {
    let record: TreeValue
    /// The path of the record that was read.
    let path: TreePath
    /// The ETag of the record that was read, in quotes.
    let etag: String
    /// The times of the post, by its record where they are not stored.
    let times: EntityTimes
    /// Whether the post is for audiences.
    package let isRestricted: Bool

    /// - Throws: `Failure` with the code `not_found`, `TreeError` with the code `permission_denied`: a post for
    ///   audiences does not exist for others.
    package init(_ id: PostID, of tree: TreeStore, _ database: RealtimeDatabase, _ context: HTTPContext) async throws {
        if let restricted = try await tree.get(AudienceNodes.post(id)),
            let path = try await Self.path(of: restricted, id, database, context),
            let post = try await Self.read(path, TimeNodes.audiencePost(id), in: tree)
        {
            (record, times, self.path, etag, isRestricted) = (post.record, post.times, path, post.etag, true)
            return
        }
        try await database.session(as: context.identity).judgeRead(of: PostNodes.post(id))
        path = PostNodes.post(id)
        guard let post = try await Self.read(path, TimeNodes.post(id), in: tree) else { throw Self.noPost }
        (record, times, etag, isRestricted) = (post.record, post.times, post.etag, false)
    }

    /// Returns a record with its times and its ETag, in one state of the tree; nil for none.
    private static func read(
        _ path: TreePath, _ times: TreePath, in tree: TreeStore
    ) async throws -> (record: TreeValue, times: EntityTimes, etag: String)? {
        try await tree.snapshot { snapshot in
            guard let record = try snapshot.get(path) else { return nil }
            let times = try EntityTimes(at: times, in: snapshot).completed(by: record)
            return (record, times, "\"\(try snapshot.etag(of: path))\"")
        }
    }

    /// Returns the path at which the requester may see an audience post, its own or that of a copy; nil if they may not.
    private static func path(
        of record: TreeValue, _ id: PostID, _ database: RealtimeDatabase, _ context: HTTPContext
    ) async throws -> TreePath? {
        if try await context.mayRead(AudienceNodes.post(id), in: database) { return AudienceNodes.post(id) }
        for audience in PostAudiences.named(by: record) {
            let copy = AudienceNodes.story(audience) / id.key
            if try await context.mayRead(copy, in: database) { return copy }
        }
        return nil
    }

    package static let noPost = Failure(
        .notFound, "there is no such post", hint: "List the newest with GET /v1/posts.")
}
