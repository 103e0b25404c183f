import API
package import Model
package import Tree

/// The deletion of a person: what is known of it, from its beginning on, for whoever has to prove that it was done.
package struct PersonDeletion: Sendable, Hashable {
    /// What is removed, in this order.
    package enum Part: String, CaseIterable, Sendable {
        case uploads, posts
        /// Posts for audiences.
        case audiencePosts = "audience_posts"
        case memberships, comments, likes, flags, following, followers, blocks, notifications, feed

        var key: TreeKey { TreeKey(unchecked: rawValue) }
    }

    package let uid: UserID
    /// When it was asked for.
    package let began: Timestamp
    /// When nothing was left any more; nil while there is.
    package let ended: Timestamp?
    /// How many of each were removed so far.
    package let counts: [Part: Int]

    private init(of uid: UserID, _ record: TreeValue) {
        self.uid = uid
        began = record["began"]?.timestampValue ?? .epoch
        ended = record["ended"]?.timestampValue
        let counts = Part.allCases.map { ($0, Int(clamping: record[$0.key]?.integerValue ?? 0)) }
        self.counts = Dictionary(uniqueKeysWithValues: counts)
    }

    /// The follow-up task of a deletion, which is there from its beginning to its end.
    package static func task(of uid: UserID) -> TreePath { FollowUpTaskKind.deletePerson.path / uid.key }

    /// What is known of the latest deletion of a person; nil when there was none.
    package init?(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(PeopleNodes.deletion(uid)) else { return nil }
        self.init(of: uid, record)
    }

    /// Begins to delete a person. The name and the picture go at once, all else by a follow-up task; files of posts go after
    /// the grace period. One that is under way goes on.
    ///
    /// - Parameter leftovers: What else the person may have left; nil for nothing.
    /// - Throws: `Failure` with the code `not_found` when nothing of the person is there; `TreeError`, the engine's failure.
    package static func begin(
        of uid: UserID, in tree: TreeStore, _ leftovers: (any UploadCleanup)? = nil
    ) async throws -> PersonDeletion {
        var hasLeftovers = false
        if let leftovers, try await !tree.snapshot({ try Self.hasTraces(of: uid, in: $0) }) {
            hasLeftovers = try await leftovers.areThere(of: uid)
        }
        try await tree.transact { [hasLeftovers] snapshot, update in
            let record = task(of: uid)
            guard try !snapshot.exists(record) else { return }
            guard try hasLeftovers || Self.hasTraces(of: uid, in: snapshot) else {
                throw Failure(.notFound, "there is no such person", hint: "it may have been deleted already")
            }
            update.makesRoom = true
            for field in ["full_name", "profile_picture", "role", "bio"] as [TreeKey] {
                update[PeopleNodes.person(uid) / field] = nil
            }
            update[PeopleNodes.deletion(uid)] = [:]
            update.set(PeopleNodes.deletion(uid) / "began", to: .timestamp)
            update.set(record / "since", to: .timestamp)
        }
        let known = try await tree.snapshot { try PersonDeletion(of: uid, in: $0) }
        return known ?? PersonDeletion(of: uid, .object([:]))
    }
}

extension PersonDeletion {
    /// Whether there is anything that somebody has made, or that is about them.
    private static func hasTraces(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let places = [
            PeopleNodes.person(uid), PostNodes.publishedBy(uid), AudienceNodes.postBy(uid),
            AudienceNodes.membership(uid), ReactionNodes.commented(uid), ReactionNodes.liked(uid),
            ReactionNodes.flagged(uid.key), PeopleNodes.follower(uid), PeopleNodes.blocking(uid),
            PeopleNodes.blocked(uid),
            NotificationNodes.notification(uid), FeedNodes.entry(uid), PeopleNodes.privacy(uid),
            NotificationNodes.device(uid),
        ]
        for place in places where try snapshot.exists(place) { return true }
        return false
    }
}
