import API
package import Model
package import Tree

/// Likes: `likes/{post}/{uid}` with the time of each. Their number, and the posts that somebody likes, follow from it.
package struct Likes: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    // MARK: Liking

    /// What has become of a like.
    package struct Outcome: Sendable, Hashable {
        /// The number of the post's likes, with this change and perhaps later ones.
        package let count: Int64
        /// The position in the change log from which on the change holds.
        package let token: SyncToken
    }

    /// Has somebody like a post, from the time of the commit on; who likes it already goes on to, from the same time.
    ///
    /// - Throws: `Failure` with the code `not_found` when there is no such post, `blocked` when its author and they
    ///   have fallen out.
    package func add(by uid: UserID, to post: PostID) async throws -> Outcome {
        let like = ReactionNodes.like(post) / uid.key
        // Nothing is read that another's like changes: each is decided once, however many come at a time.
        let (_, token) = try await tree.transact { snapshot, update in
            try ExistingPost(post, for: uid, in: snapshot).requireOpen(to: uid, who: "like this post")
            try snapshot.requireConsent(of: uid, toContent: false)
            if try !snapshot.exists(like) { update.set(like, to: .timestamp) }
        }
        return Outcome(count: try await count(of: post), token: token)
    }

    /// Has somebody like a post no more; nothing changes for who does not like it.
    ///
    /// - Throws: `Failure` with the code `not_found` when there is neither a like nor a post.
    package func remove(by uid: UserID, from post: PostID) async throws -> Outcome {
        let like = ReactionNodes.like(post) / uid.key
        let (_, token) = try await tree.transact { snapshot, update in
            if try snapshot.exists(like) {
                update[like] = nil
            } else {
                _ = try ExistingPost(post, for: uid, in: snapshot)
            }
        }
        return Outcome(count: try await count(of: post), token: token)
    }

    /// The number of a post's likes.
    private func count(of post: PostID) async throws -> Int64 {
        try await tree.snapshot { try Self.count(of: post, in: $0) }
    }

    // MARK: Who likes a post

    /// Somebody who likes a post.
    package struct Liker: Sendable, Hashable {
        /// The id: a user's, unless a client of the database wrote something else.
        package let key: TreeKey
        /// The name, and else the id; nil where names were not asked for.
        package let fullName: String?
        package let profilePicture: String?
        /// Since when; nil when a client of the database wrote something else.
        package let timestamp: Timestamp?
    }

    /// A part of those who like a post, in the order of their ids.
    package struct Page: Sendable {
        package let people: [Liker]
        /// The number of all who like it.
        package let count: Int64
        /// Behind whom the next page begins; nil when this is the last.
        package let next: TreeKey?
        /// The position in the change log of the state that was read.
        package let token: SyncToken
    }

    /// Those who like a post, without whom the viewer has blocked, and who has blocked the viewer. A page may be shorter for it.
    ///
    /// - Parameters:
    ///   - viewer: Whoever looks at them; nil for an admin, and for somebody unknown.
    ///   - cursor: Behind whom the page begins; nil for the first.
    ///   - limit: How many at most.
    ///   - isNaming: Whether their names and pictures are looked up.
    /// - Throws: `Failure` with the code `not_found` when there is no such post.
    package func page(
        of post: PostID, for viewer: UserID? = nil, after cursor: TreeKey?, limit: Int, isNaming: Bool
    ) async throws -> Page {
        try await tree.snapshot { snapshot in
            _ = try ExistingPost(post, in: snapshot)
            // One more tells whether there are more.
            let likes = try snapshot.children(
                of: ReactionNodes.like(post), range: cursor.map { .after($0) } ?? .all, limit: limit + 1)
            var blocked = BlockedPeople(of: viewer)
            var people: [Liker] = []
            for like in likes.prefix(limit) {
                // Who has no id that anybody can have is nobody who could block or be blocked.
                if let uid = UserID(like.key.string), try blocked.contain(uid, in: snapshot) { continue }
                people.append(try Self.liker(like, isNaming: isNaming, in: snapshot))
            }
            return Page(
                people: people, count: try Self.count(of: post, in: snapshot),
                next: likes.count > limit ? likes.prefix(limit).last?.key : nil, token: try snapshot.token)
        }
    }

    // MARK: What somebody likes

    /// The posts that somebody likes, by their ids, the newest first: a page that has `limit` posts unless there are no
    /// more. Cancelling the task ends it.
    ///
    /// - Parameter cursor: The id before which the page begins; nil for the newest.
    /// - Throws: `Failure` with the code `not_found` when nothing is known of the person.
    package func posts(
        likedBy uid: UserID, for viewer: UserID? = nil, before cursor: TreeKey?, limit: Int
    ) async throws -> LikedPosts {
        try await tree.page(LikedPosts()) { page, snapshot in
            guard try snapshot.exists(ReactionNodes.liked(uid)) || snapshot.exists(PeopleNodes.person(uid)) else {
                throw Failure(.notFound, "there is no such person", hint: "a person's first post, or like, makes one")
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
        _ like: TreeChild, isNaming: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Liker {
        let uid = isNaming ? UserID(like.key.string) : nil
        let known = try uid.map { uid throws(TreeError) in try snapshot.nameAndPicture(of: uid) }
        return Liker(
            key: like.key, fullName: isNaming ? known?.fullName ?? like.key.string : nil,
            profilePicture: known?.profilePicture, timestamp: like.value.timestampValue)
    }
}
