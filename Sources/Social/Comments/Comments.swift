import API
package import Access
package import Model
package import Tree

/// Comments, at `comments/{post}/{id}`. Derivations maintain their number and the list of each person's comments.
package struct Comments: Sendable {
    private let tree: TreeStore
    private let ids: PushIDGenerator

    /// - Parameter ids: Generates the ids of comments.
    package init(_ tree: TreeStore, ids: PushIDGenerator) {
        self.tree = tree
        self.ids = ids
    }

    // MARK: Writing

    /// A comment after a change, and the position of the change.
    package typealias Outcome = (comment: Comment, token: SyncToken)

    /// Adds a comment, with its author's current name and picture and the time of the commit.
    ///
    /// Of two comments on a post, the one that was committed later has the greater id, so that a reader who continues
    /// after the last known comment misses none.
    ///
    /// - Parameters:
    ///   - clientTime: The time at which the person wrote it by the clock of their device; nil if it is not known.
    ///   - key: The key of the request; a repeated request returns the comment that it created before.
    /// - Throws: `Failure` with the code `not_found` if the post does not exist, `blocked` if the commenter and the
    ///   post's author have a block between them, `bad_mention` if a mentioned person does not exist, `key_reused` for
    ///   the key of another request, `deleted` if the comment of the request has been deleted.
    package func add(
        _ text: CommentText, by uid: UserID, to post: PostID, at clientTime: Timestamp? = nil, as key: RequestKey? = nil
    ) async throws -> Outcome {
        let (id, token) = try await tree.transact { [ids] snapshot, update in
            if let made = try key?.made(in: snapshot) { return made }
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "comment on this post")
            try snapshot.requireConsent(of: uid, toContent: true)
            try MentionSpan.requirePeople(text.mentions, in: snapshot)
            // This read makes the transaction run again, with another id, if another comment is committed first.
            _ = try snapshot.keys(of: ReactionNodes.comment(post), order: .descending, limit: 1)
            let (name, picture) = try snapshot.nameAndPicture(of: uid)
            let author = Person(uid: uid, fullName: name, profilePicture: picture).author
            var fields: [TreeKey: TreeValue] = ["author": author, "text": .string(text.text)]
            fields["mentions"] = MentionSpan.value(of: text.mentions)
            fields["client_timestamp"] = clientTime.map { min($0, WallClock.now()).value }
            let id = ids.next()
            update[ReactionNodes.comment(post) / id] = .object(fields)
            update.set(ReactionNodes.comment(post) / id / "timestamp", to: .timestamp)
            key?.note(id, in: &update)
            return id.key
        }
        return (try await written(id, on: post), token)
    }

    /// Changes the text and the mentions of a comment, for its author, and records the time. Repeating the same change
    /// has no effect.
    ///
    /// - Parameters:
    ///   - clientTime: The time of the change by the clock of the person's device; nil if it is not known.
    ///   - key: The key of the request; a repeated request has no effect.
    /// - Throws: The errors of ``add(_:by:to:at:as:)``; `Failure` with the code `not_allowed` for the comment of another
    ///   author.
    package func edit(
        _ id: TreeKey, on post: PostID, to text: CommentText, by uid: UserID, at clientTime: Timestamp? = nil,
        as key: RequestKey? = nil
    ) async throws -> Outcome {
        let path = ReactionNodes.comment(post) / id
        let (_, token) = try await tree.transact(once: key) { snapshot, update in
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "comment on this post")
            try snapshot.requireConsent(of: uid, toContent: true)
            guard let record = try snapshot.get(path) else { throw Self.noComment }
            guard record["author"]?["uid"]?.stringValue == uid.description else {
                throw Failure(
                    .notAllowed, "you may not change another person's comment", hint: "Sign in as its author.")
            }
            try MentionSpan.requirePeople(text.mentions, in: snapshot)
            let mentions = MentionSpan.value(of: text.mentions)
            guard record["text"] != .string(text.text) || record["mentions"] != mentions else { return }
            update[path / "text"] = .string(text.text)
            update[path / "mentions"] = mentions
            update.set(path / "edited", to: .timestamp)
            update[path / "client_edited"] = clientTime.map { min($0, WallClock.now()).value }
        }
        return (try await written(id, on: post), token)
    }

    /// Deletes a comment, for its author, for the author of the post, or for an admin.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect, and does not fail because the comment
    ///   is gone.
    /// - Throws: `Failure` with the code `not_found` if the comment does not exist, `permission_denied` or
    ///   `not_allowed` for other requesters, `key_reused` for the key of another request.
    package func remove(
        _ id: TreeKey, from post: PostID, by identity: Identity, as key: RequestKey? = nil
    ) async throws -> SyncToken {
        if identity == .anonymous {
            throw Failure.permissionDenied(hint: "Sign in, and send the token in Authorization.")
        }
        let path = ReactionNodes.comment(post) / id
        return try await tree.transact(once: key) { snapshot, update in
            guard try snapshot.exists(path) else { throw Self.noComment }
            let author = try snapshot.get(path / "author" / "uid")?.stringValue
            let owner = try snapshot.get(PostNodes.post(post) / "author" / "uid")?.stringValue
            guard identity == .admin || identity.uid.map({ $0 == author || $0 == owner }) == true else {
                throw Failure(
                    .notAllowed, "you may not delete this comment",
                    hint: "Sign in as its author, the post's author or an admin.")
            }
            update[path] = nil
        }.token
    }

    /// Reads a comment that has just been written, to return its times.
    private func written(_ id: TreeKey, on post: PostID) async throws -> Comment {
        let (record, times) = try await tree.snapshot { snapshot in
            (
                try snapshot.get(ReactionNodes.comment(post) / id),
                try EntityTimes(at: TimeNodes.comment(post.key, id), in: snapshot)
            )
        }
        guard let comment = record.flatMap({ Comment(id, of: post.key, $0, times) }) else {
            throw Failure(
                .deleted, "the comment has been deleted",
                hint: "Read the comments again: its author or the post's author deleted it.")
        }
        return comment
    }

    // MARK: Reading

    /// Returns a comment.
    ///
    /// - Parameter viewer: The reader; nil for an admin, and for a requester without an id.
    /// - Throws: `Failure` with the code `not_found`, also if the reader and the comment's author have a block between
    ///   them.
    package func comment(_ id: TreeKey, on post: PostID, for viewer: UserID?) async throws -> Comment {
        let found = try await tree.snapshot { snapshot -> (record: TreeValue, times: EntityTimes)? in
            guard let record = try snapshot.get(ReactionNodes.comment(post) / id) else { return nil }
            var blocked = BlockedPeople(of: viewer)
            guard try !blocked.containAuthor(of: record, in: snapshot) else { return nil }
            return (record, try EntityTimes(at: TimeNodes.comment(post.key, id), in: snapshot))
        }
        guard let (record, times) = found else { throw Self.noComment }
        guard let comment = Comment(id, of: post.key, record, times) else {
            throw Failure(
                .notFound, "comments/\(post)/\(id) is not a comment: \(Comment.fault(of: record) ?? "")",
                hint: "Correct it in the database, where a client wrote it.")
        }
        return comment
    }

    /// Returns a page of the comments on a post, in the order of their ids. The page is full unless it is the last;
    /// cancelling the task ends it early.
    ///
    /// - Throws: `Failure` with the code `not_found` if the post does not exist.
    package func page(of post: PostID, _ selection: CommentPage.Selection) async throws -> CommentPage {
        try await tree.page(CommentPage()) { page, snapshot in
            _ = try ExistingPost(post, in: snapshot)
            return try page.readOn(selection, of: post, from: snapshot)
        }
    }

    private static let noComment = Failure(
        .notFound, "the comment does not exist",
        hint: "It may have been deleted. List the comments with GET /v1/posts/{id}/comments.")
}
