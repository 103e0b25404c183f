import TintypeClient
public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The writes of a person. Each of these returns when the write is safe on the device: a power cut does not undo it. It is
/// sent while `run()` is under way, also after the app or the device has ended.
///
/// Errors are `SessionError.signedOut` if nobody is signed in, `RecordStoreError`, and those of the file system for photos.
extension LocalStore {
    /// Publishes a post. Its photos are kept at once, and sent in pieces, or by the system.
    @discardableResult
    public func publish(_ draft: PostDraft) async throws -> Submission<Post.ID> {
        let id = Post.ID.makeLocal()
        let photos = try folder.keep(draft.photos)
        defer { folder.endKeeping(photos) }
        do {
            let post = KeptPost(
                id: id, text: draft.text?.nonEmpty, mentions: draft.mentions, audiences: draft.audiences, photos: photos
            )
            return try await submit(.post(post), id)
        } catch {
            // A transaction may be stored although its end failed.
            if (try? await view { try $0.records.writes(on: .post(id)).isEmpty }) == true {
                for photo in photos { folder.remove(photo.name) }
            }
            throw error
        }
    }

    /// Changes the text of a post, and the mentions in it.
    @discardableResult
    public func edit(_ post: Post.ID, text: String?, mentions: [Mention] = []) async throws -> Submission<Post.ID> {
        try await changeWords(of: post) { words in (words.text, words.mentions) = (text?.nonEmpty, mentions) }
    }

    /// Changes the order of a post's photos, and their descriptions.
    ///
    /// - Parameters:
    ///   - post: The id of the post.
    ///   - photos: The photos, each with the position at which it was published.
    @discardableResult
    public func arrange(
        _ post: Post.ID, photos: [(number: Int, alternativeText: String?)]
    ) async throws -> Submission<Post.ID> {
        let order = photos.map { PostWords.PhotoWords(number: $0.number, alternativeText: $0.alternativeText) }
        return try await changeWords(of: post) { $0.photos = order }
    }

    private func changeWords(
        of post: Post.ID, _ change: @escaping @Sendable (inout PostWords) -> Void
    ) async throws -> Submission<Post.ID> {
        let base = try await view { try $0.post(post)?.post }
        guard let base else { throw LocalStoreError.unknownPost(post) }
        var words = PostWords(of: base)
        change(&words)
        return try await submit(.editPost(PostChange(id: post, base: PostWords(of: base), words: words)), post)
    }

    /// Deletes a post.
    @discardableResult
    public func delete(_ post: Post.ID) async throws -> Submission<Post.ID> {
        try await submit(.deletePost(post), post)
    }

    /// Likes a post, or no longer. The last intention counts.
    @discardableResult
    public func setLike(_ isLiked: Bool, of post: Post.ID) async throws -> Submission<Post.ID> {
        try await submit(.like(post, isLiked: isLiked), post)
    }

    /// Comments on a post, also on one that is not published yet.
    @discardableResult
    public func comment(
        _ text: String, on post: Post.ID, mentions: [Mention] = []
    ) async throws -> Submission<Comment.ID> {
        let id = Comment.ID.makeLocal()
        return try await submit(.comment(CommentDraft(id: id, post: post, text: text, mentions: mentions)), id)
    }

    /// Changes the text of a comment.
    @discardableResult
    public func edit(
        _ comment: Comment.ID, on post: Post.ID, text: String, mentions: [Mention] = []
    ) async throws -> Submission<Comment.ID> {
        let base = try await view { try $0.comment(comment, on: post)?.comment.text }
        guard let base else { throw LocalStoreError.unknownComment(comment) }
        return try await submit(
            .editComment(CommentChange(id: comment, post: post, base: base, text: text, mentions: mentions)), comment)
    }

    /// Deletes a comment.
    @discardableResult
    public func delete(_ comment: Comment.ID, on post: Post.ID) async throws -> Submission<Comment.ID> {
        try await submit(.deleteComment(comment, on: post), comment)
    }

    /// Follows a person, or no longer. The last intention counts.
    @discardableResult
    public func setFollowing(_ isFollowed: Bool, of person: Person.ID) async throws -> Submission<Person.ID> {
        try await submit(.follow(person, isFollowed: isFollowed), person)
    }

    /// Blocks a person, or no longer. The last intention counts.
    @discardableResult
    public func setBlocking(_ isBlocked: Bool, of person: Person.ID) async throws -> Submission<Person.ID> {
        try await submit(.block(person, isBlocked: isBlocked), person)
    }

    /// Marks notifications as read.
    ///
    /// - Parameter last: The newest of them; nil for all.
    @discardableResult
    public func markAsRead(upTo last: SocialNotification.ID? = nil) async throws -> Submission<Void> {
        // Those that arrive before the write does are not read.
        let newest = try await view { try $0.records.entries(of: .notifications, limit: 1).first?.id }
        return try await submit(.readNotifications(upTo: last ?? newest.map { SocialNotification.ID($0) }), ())
    }

    /// Changes the person's own name and text; nil keeps one as it is.
    @discardableResult
    public func changeProfile(name: String? = nil, bio: String? = nil) async throws -> Submission<Void> {
        try await submit(.profile(name: name, bio: bio), ())
    }

    /// Writes values of the tree in one step. Two writes of the same node are always two.
    ///
    /// - Parameters:
    ///   - values: The values by their paths below the node; null removes. The empty path is the node itself, which is
    ///     then the only one.
    ///   - path: The path of the node, such as `events/lake`.
    ///   - base: The value of the node that the write is based on: if somebody else changes it before the write arrives,
    ///     there is a conflict. Nil for a write without a condition.
    /// - Throws: `TreeInputError` for a path that the tree cannot have.
    @discardableResult
    public func write(
        _ values: [String: JSONValue], at path: String, basedOn base: JSONValue? = nil
    ) async throws -> Submission<String> {
        guard !values.isEmpty, values[""] == nil || values.count == 1 else { throw LocalStoreError.invalidWrite }
        for place in values.keys {
            _ = try client.tree(path.isEmpty || place.isEmpty ? path + place : "\(path)/\(place)").keys()
        }
        return try await submit(.tree(TreeWrite(path: path, values: values, base: base)), path)
    }

    private func submit<ID: Sendable>(_ write: Write, _ subject: ID) async throws -> Submission<ID> {
        let date = clock.now
        let queued = try await edit { [folder] changes in
            if case .post(let post) = write { try folder.check(post.photos) }
            return try changes.enqueue(write, at: date)
        }
        return Submission(id: queued.map { WriteID(rawValue: $0.number) }, subject: subject, store: self)
    }
}

extension String {
    /// The text; nil for an empty one.
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// Why the store does not accept a write.
public enum LocalStoreError: Error, Hashable, Sendable {
    /// The device does not have the post.
    case unknownPost(Post.ID)
    /// The device does not have the comment.
    case unknownComment(Comment.ID)
    /// A write of the tree has no value, or others beside that of the node itself.
    case invalidWrite
}

extension LocalStoreError: CustomStringConvertible, LocalizedError {
    /// The reason in one line.
    public var description: String {
        switch self {
        case .unknownPost: "the post is not on this device"
        case .unknownComment: "the comment is not on this device"
        case .invalidWrite: "a write of the tree has no value, or others beside that of the node itself"
        }
    }

    /// The reason, for people.
    public var errorDescription: String? { description }
}
