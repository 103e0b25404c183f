import API
package import Model
package import Tree

/// Likes, at `likes/{post}/{uid}` with the time of each. Derivations maintain their number, and the posts that a person
/// likes.
package struct Likes: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    // MARK: Liking

    /// The result of a change of a like.
    package struct Outcome: Sendable, Hashable {
        /// The number of the post's likes, including this change and perhaps later ones.
        package let count: Int64
        /// Whether the person likes the post.
        package let isLiked: Bool
        /// The times of the like; unknown for none.
        package let times: EntityTimes
        /// The position in the change log from which the change is visible.
        package let token: SyncToken
    }

    /// Adds a like with the time of the commit; an existing like keeps its time.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Throws: `Failure` with the code `not_found` if the post does not exist, `blocked` if the person and the post's
    ///   author have a block between them, `key_reused` for the key of another request.
    package func add(by uid: UserID, to post: PostID, as key: RequestKey? = nil) async throws -> Outcome {
        let like = ReactionNodes.like(post) / uid.key
        // The transaction reads no data that other likes change, so it runs once, however many are concurrent.
        let (_, token) = try await tree.transact(once: key) { snapshot, update in
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "like this post")
            try snapshot.requireConsent(of: uid, toContent: false)
            if try !snapshot.exists(like) { update.set(like, to: .timestamp) }
        }
        return try await outcome(of: uid, post, token)
    }

    /// Removes a like; does nothing if it does not exist.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Throws: `Failure` with the code `not_found` if neither the like nor the post exists, `key_reused` for the key of
    ///   another request.
    package func remove(by uid: UserID, from post: PostID, as key: RequestKey? = nil) async throws -> Outcome {
        let like = ReactionNodes.like(post) / uid.key
        let (_, token) = try await tree.transact(once: key) { snapshot, update in
            if try snapshot.exists(like) {
                update[like] = nil
            } else {
                _ = try ExistingPost(post, for: uid, in: snapshot)
            }
        }
        return try await outcome(of: uid, post, token)
    }

    private func outcome(of uid: UserID, _ post: PostID, _ token: SyncToken) async throws -> Outcome {
        try await tree.snapshot { snapshot in
            let like = try snapshot.get(ReactionNodes.like(post) / uid.key)
            let times = try like.map { like throws(TreeError) in
                try Self.times(of: TreeChild(key: uid.key, value: like), on: post, in: snapshot)
            }
            return Outcome(
                count: try Self.count(of: post, in: snapshot), isLiked: like != nil, times: times ?? .unknown,
                token: token)
        }
    }

    // MARK: Likers of a post

    /// A person who likes a post.
    package struct Liker: Sendable, Hashable {
        /// The id: a user's, unless a client of the database wrote something else.
        package let key: TreeKey
        /// The name, or else the id; nil if names were not requested.
        package let fullName: String?
        package let profilePicture: String?
        /// The time of the like; nil if a client of the database wrote another value.
        package let timestamp: Timestamp?
        /// The times by the service's clock, and by the like itself where they are not stored.
        package let times: EntityTimes
    }

    /// A page of the people who like a post, in the order of their ids.
    package struct Page: Sendable {
        package let people: [Liker]
        /// The number of all likes of the post.
        package let count: Int64
        /// The id after which the next page begins; nil on the last page.
        package let next: TreeKey?
        /// The position in the change log of the snapshot that was read.
        package let token: SyncToken
    }

    /// Returns the people who like a post, without those who have blocked the viewer or are blocked by the viewer. A
    /// page may therefore be shorter.
    ///
    /// - Parameters:
    ///   - viewer: The reader; nil for an admin, and for a requester without an id.
    ///   - cursor: The id after which the page begins; nil for the first page.
    ///   - limit: The largest number of people.
    ///   - isNaming: Whether names and pictures are looked up.
    /// - Throws: `Failure` with the code `not_found` if the post does not exist.
    package func page(
        of post: PostID, for viewer: UserID? = nil, after cursor: TreeKey?, limit: Int, isNaming: Bool
    ) async throws -> Page {
        try await tree.snapshot { snapshot in
            _ = try ExistingPost(post, in: snapshot)
            // A further row shows whether another page follows.
            let likes = try snapshot.children(
                of: ReactionNodes.like(post), range: cursor.map { .after($0) } ?? .all, limit: limit + 1)
            var blocked = BlockedPeople(of: viewer)
            var people: [Liker] = []
            for like in likes.prefix(limit) {
                // A key that is not a valid user id can neither block nor be blocked.
                if let uid = UserID(like.key.string), try blocked.contain(uid, in: snapshot) { continue }
                people.append(try Self.liker(like, of: post, isNaming: isNaming, in: snapshot))
            }
            return Page(
                people: people, count: try Self.count(of: post, in: snapshot),
                next: likes.count > limit ? likes.prefix(limit).last?.key : nil, token: try snapshot.token)
        }
    }

    // MARK: Liked posts

    /// Returns the posts that a person likes, in descending order of their ids: a page has `limit` posts unless it is
    /// the last. Cancelling the task ends it early.
    ///
    /// - Parameter cursor: The id before which the page begins; nil for the newest.
    /// - Throws: `Failure` with the code `not_found` if no data of the person exist.
    package func posts(
        likedBy uid: UserID, for viewer: UserID? = nil, before cursor: TreeKey?, limit: Int
    ) async throws -> LikedPosts {
        try await tree.page(LikedPosts()) { page, snapshot in
            guard try snapshot.exists(ReactionNodes.liked(uid)) || snapshot.exists(PeopleNodes.person(uid)) else {
                throw Failure(
                    .notFound, "the person does not exist", hint: "Create the person with a first post or like.")
            }
            return try page.readOn(of: uid, for: viewer, before: cursor, limit: limit, from: snapshot)
        }
    }
}

extension Likes {
    private static func count(of post: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Int64 {
        try snapshot.get(ReactionNodes.stats(post) / "likes")?.integerValue ?? 0
    }

    private static func liker(
        _ like: TreeChild, of post: PostID, isNaming: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Liker {
        let uid = isNaming ? UserID(like.key.string) : nil
        let known = try uid.map { uid throws(TreeError) in try snapshot.nameAndPicture(of: uid) }
        return Liker(
            key: like.key, fullName: isNaming ? known?.fullName ?? like.key.string : nil,
            profilePicture: known?.profilePicture, timestamp: like.value.timestampValue,
            times: try Self.times(of: like, on: post, in: snapshot))
    }

    /// Returns the times of a like, which are stored in the list of the posts that its person likes.
    private static func times(
        of like: TreeChild, on post: PostID, in snapshot: TreeSnapshot
    ) throws(TreeError) -> EntityTimes {
        try EntityTimes(at: ReactionNodes.liked(like.key, post.key), in: snapshot)
            .completed(created: like.value.timestampValue)
    }
}
