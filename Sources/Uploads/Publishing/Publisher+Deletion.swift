package import API
package import Access
import Logging
package import Model
import Social
import Store
package import Tree
package import TreeModel

extension Publisher {
    /// Deletes a post and all entries that list it, in one update: its author's list and feed, and its hashtags.
    /// Durable on return. A job then removes likes, comments and the entries in others' feeds, and the files are
    /// deleted after the grace period.
    ///
    /// - Parameters:
    ///   - identity: The requester: the author, an admin, or, for a post for audiences, an owner of all of them.
    ///   - refusal: The decision of an admin that the post must not be shown: its files are then available only to its
    ///     author and admins until they are deleted.
    ///   - key: The key of the request; a repeated request has no effect, and does not fail because the post is gone.
    /// - Returns: The time at which the files are deleted.
    /// - Throws: `Failure` with the code `not_found` if the post does not exist, `permission_denied` or `not_allowed`
    ///   if it belongs to another user, `key_reused` for the key of another request.
    package func deletePost(
        _ id: PostID, by identity: Identity, _ refusal: Moderation? = nil, as key: RequestKey? = nil
    ) async throws -> Timestamp {
        let deletion = store.ids.next()
        let earlier = try await tree.transact(at: "post-deleted") { [store] snapshot, update -> TreeKey? in
            if let made = try key?.made(in: snapshot) { return made }
            guard let path = try snapshot.path(ofPost: id), let post = try snapshot.get(path) else {
                throw Self.noPost(id)
            }
            let record = try ObjectPosts.upload(behindPost: id, in: snapshot)
            try Self.judge(id, post, by: identity, "delete another user's post", owners: true, in: snapshot)
            update[path] = nil
            update.makesRoom = true
            key?.note(deletion, in: &update)
            if let refusal, let record {
                update[UploadNodes.upload(record.id) / "moderation"] = refusal.value
                try Self.withdrawObject(of: record.id, at: store.now, in: snapshot, &update)
            }
            guard path != AudienceNodes.post(id) else { return nil }  // Only the audiences' own feeds list it.
            for trace in PostTraces(of: id, post: post, owner: record?.owner, text: record?.text).paths {
                update[trace] = nil
            }
            return nil
        }
        if earlier == nil { logger.notice("deleted a post", metadata: ["post": "\(id)", "identity": "\(identity)"]) }
        let time = (earlier.flatMap { PushID($0.string) } ?? deletion).timestamp
        return time + settings.value.gracePeriod
    }

    /// Checks that the requester may change a post: its author, or an admin.
    ///
    /// - Parameters:
    ///   - what: The action, such as "delete another user's post".
    ///   - areOwnersAllowed: Whether an owner of all audiences of the post may, too.
    /// - Throws: `Failure` with the code `permission_denied` or `not_allowed`; `not_found` for a post for audiences if
    ///   the requester is a member of none of them, to hide its existence.
    static func judge(
        _ id: PostID, _ post: TreeValue, by identity: Identity, _ what: String, owners areOwnersAllowed: Bool = false,
        in snapshot: TreeSnapshot
    ) throws {
        let audiences = PostAudiences.named(by: post)
        switch identity {
        case .admin: return
        case .anonymous where audiences.isEmpty:
            throw Failure.permissionDenied(hint: "Sign in, and send the token in Authorization.")
        case .anonymous: throw noPost(id)
        case .user(let user) where user.isAdmin: return
        case .user(let user):
            if let uid = user.uid, post["author"]?["uid"]?.stringValue == uid { return }
            let uid = user.uid.flatMap { UserID($0) }
            let roles = try audiences.map { audience in try uid.flatMap { try snapshot.role(of: $0, in: audience) } }
            guard audiences.isEmpty || roles.contains(where: { $0 != nil }) else { throw noPost(id) }
            guard areOwnersAllowed, !roles.isEmpty, roles.allSatisfy({ $0 == .owner }) else {
                throw Failure.notAllowed(what)
            }
        }
    }

    static func noPost(_ id: PostID) -> Failure {
        Failure(.notFound, "there is no post \(id)", hint: "It may have been deleted already.")
    }
}

extension Failure {
    /// Returns the failure of a record among the posts that cannot be shown as one.
    package static func noPost(_ id: PostID, because fault: String) -> Failure {
        Failure(
            .notFound, "posts/\(id) is no post: \(fault)", hint: "Correct it in the database, where a client wrote it.")
    }
}
