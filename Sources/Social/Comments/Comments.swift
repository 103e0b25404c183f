import API
package import Access
package import Model
package import Tree

/// Comments: `comments/{post}/{id}`. Their number, and the list of each person's comments, follow from it.
package struct Comments: Sendable {
    private let tree: TreeStore
    private let ids: PushIDGenerator

    /// - Parameter ids: What gives each comment its id.
    package init(_ tree: TreeStore, ids: PushIDGenerator) {
        self.tree = tree
        self.ids = ids
    }

    // MARK: Writing

    /// A comment as it is after a change.
    package typealias Outcome = (comment: Comment, token: SyncToken)

    /// Adds a comment, with its author's present name and picture and the time of the commit.
    ///
    /// Of two comments on a post the one that was committed later has the greater id: whoever reads on behind the last
    /// one that they have misses none.
    ///
    /// - Parameter key: By which the same request is known again: it gets the comment that it has made before.
    /// - Throws: `Failure` with the code `not_found` when there is no such post, `blocked` when its author and they
    ///   have fallen out, `bad_mention` when somebody is mentioned who is not there, `key_reused` for the key of another
    ///   request, `deleted` when the comment that the request has made is gone.
    package func add(
        _ text: CommentText, by uid: UserID, to post: PostID, as key: RequestKey? = nil
    ) async throws -> Outcome {
        let (id, token) = try await tree.transact { [ids] snapshot, update in
            if let made = try key?.made(in: snapshot) { return made }
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "comment on this post")
            try snapshot.requireConsent(of: uid, toContent: true)
            try MentionSpan.requirePeople(text.mentions, in: snapshot)
            // To be decided anew, with another id, when somebody else's comment comes first.
            _ = try snapshot.keys(of: ReactionNodes.comment(post), order: .descending, limit: 1)
            let (name, picture) = try snapshot.nameAndPicture(of: uid)
            let author = Person(uid: uid, fullName: name, profilePicture: picture).author
            var fields: [TreeKey: TreeValue] = ["author": author, "text": .string(text.text)]
            fields["mentions"] = MentionSpan.value(of: text.mentions)
            let id = ids.next()
            update[ReactionNodes.comment(post) / id] = .object(fields)
            update.set(ReactionNodes.comment(post) / id / "timestamp", to: .timestamp)
            key?.note(id, in: &update)
            return id.key
        }
        return (try await written(id, on: post), token)
    }

    /// Changes the text of a comment and whom it mentions, for its author, and notes the time. The same once more changes
    /// nothing.
    ///
    /// - Throws: As ``add(_:by:to:)``; `Failure` with the code `not_allowed` when it is somebody else's.
    package func edit(
        _ id: TreeKey, on post: PostID, to text: CommentText, by uid: UserID
    ) async throws -> Outcome {
        let path = ReactionNodes.comment(post) / id
        let (_, token) = try await tree.transact { snapshot, update in
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "comment on this post")
            try snapshot.requireConsent(of: uid, toContent: true)
            guard let record = try snapshot.get(path) else { throw Self.noComment }
            guard record["author"]?["uid"]?.stringValue == uid.description else {
                throw Failure(.notAllowed, "you may not change somebody else's comment", hint: "its author may")
            }
            try MentionSpan.requirePeople(text.mentions, in: snapshot)
            let mentions = MentionSpan.value(of: text.mentions)
            guard record["text"] != .string(text.text) || record["mentions"] != mentions else { return }
            update[path / "text"] = .string(text.text)
            update[path / "mentions"] = mentions
            update.set(path / "edited", to: .timestamp)
        }
        return (try await written(id, on: post), token)
    }

    /// Deletes a comment, for its author, for the author of the post, or for an admin.
    ///
    /// - Throws: `Failure` with the code `not_found` when there is no such comment, `permission_denied` or `not_allowed`
    ///   for anybody else.
    package func remove(_ id: TreeKey, from post: PostID, by identity: Identity) async throws -> SyncToken {
        if identity == .anonymous {
            throw Failure.permissionDenied(hint: "sign in, and send the token in Authorization")
        }
        let path = ReactionNodes.comment(post) / id
        return try await tree.transact { snapshot, update in
            guard try snapshot.exists(path) else { throw Self.noComment }
            let author = try snapshot.get(path / "author" / "uid")?.stringValue
            let owner = try snapshot.get(PostNodes.post(post) / "author" / "uid")?.stringValue
            guard identity == .admin || identity.uid.map({ $0 == author || $0 == owner }) == true else {
                throw Failure(
                    .notAllowed, "you may not delete this comment", hint: "its author may, the post's, and an admin")
            }
            update[path] = nil
        }.token
    }

    /// A comment that has just been written, by which its times are told.
    private func written(_ id: TreeKey, on post: PostID) async throws -> Comment {
        let record = try await tree.get(ReactionNodes.comment(post) / id)
        guard let comment = record.flatMap({ Comment(id, of: post.key, $0) }) else {
            throw Failure(.deleted, "the comment has been deleted again", hint: "by its author, or the post's")
        }
        return comment
    }

    // MARK: Reading

    /// A comment.
    ///
    /// - Parameter viewer: Whoever looks at it; nil for an admin, and for somebody unknown.
    /// - Throws: `Failure` with the code `not_found`, also where the viewer and its author have fallen out.
    package func comment(_ id: TreeKey, on post: PostID, for viewer: UserID?) async throws -> Comment {
        let record = try await tree.snapshot { snapshot -> TreeValue? in
            guard let record = try snapshot.get(ReactionNodes.comment(post) / id) else { return nil }
            var blocked = BlockedPeople(of: viewer)
            return try blocked.containAuthor(of: record, in: snapshot) ? nil : record
        }
        guard let record else { throw Self.noComment }
        guard let comment = Comment(id, of: post.key, record) else {
            throw Failure(
                .notFound, "comments/\(post)/\(id) is no comment: \(Comment.fault(of: record) ?? "")",
                hint: "a client of the database wrote it; mend it there")
        }
        return comment
    }

    /// A page of the comments on a post, in the order of their ids. It is full unless there are no more; cancelling the
    /// task ends it.
    ///
    /// - Throws: `Failure` with the code `not_found` when there is no such post.
    package func page(of post: PostID, _ selection: CommentPage.Selection) async throws -> CommentPage {
        try await tree.page(CommentPage()) { page, snapshot in
            _ = try ExistingPost(post, in: snapshot)
            return try page.readOn(selection, of: post, from: snapshot)
        }
    }

    private static let noComment = Failure(
        .notFound, "there is no such comment", hint: "it may have been deleted; GET /v1/posts/{id}/comments lists them")
}
