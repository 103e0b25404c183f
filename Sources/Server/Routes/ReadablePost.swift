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
    /// Whether the post is for audiences.
    package let isRestricted: Bool

    /// - Throws: `Failure` with the code `not_found`, `TreeError` with the code `permission_denied`: a post for
    ///   audiences does not exist for others.
    package init(_ id: PostID, of tree: TreeStore, _ database: RealtimeDatabase, _ context: HTTPContext) async throws {
        if let restricted = try await tree.get(AudienceNodes.post(id)),
            let record = try await Self.copy(of: restricted, id, tree, database, context)
        {
            (self.record, isRestricted) = (record, true)
            return
        }
        try await database.session(as: context.identity).judgeRead(of: PostNodes.post(id))
        guard let record = try await tree.get(PostNodes.post(id)) else { throw Self.noPost }
        (self.record, isRestricted) = (record, false)
    }

    /// Returns the audience post as the requester may see it; nil if they may not.
    private static func copy(
        of record: TreeValue, _ id: PostID, _ tree: TreeStore, _ database: RealtimeDatabase, _ context: HTTPContext
    ) async throws -> TreeValue? {
        if try await context.mayRead(AudienceNodes.post(id), in: database) { return record }
        for audience in PostAudiences.named(by: record) {
            let copy = AudienceNodes.story(audience) / id.key
            if try await context.mayRead(copy, in: database), let record = try await tree.get(copy) { return record }
        }
        return nil
    }

    package static let noPost = Failure(
        .notFound, "there is no such post", hint: "List the newest with GET /v1/posts.")
}
