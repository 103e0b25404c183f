import API
package import Model
package import Tree

/// The record of a person's deletion, from its beginning, as evidence that it was done.
package struct PersonDeletion: Sendable, Hashable {
    /// The kinds of removed data, in the order of their removal.
    package enum Part: String, CaseIterable, Sendable {
        case uploads, posts
        /// Posts for audiences.
        case audiencePosts = "audience_posts"
        case memberships, comments, likes, flags, following, followers, blocks, notifications, feed

        var key: TreeKey { TreeKey(unchecked: rawValue) }
    }

    package let uid: UserID
    /// The time of the request.
    package let began: Timestamp
    /// The time of completion; nil while data remain.
    package let ended: Timestamp?
    /// The number of removed items of each kind so far.
    package let counts: [Part: Int]

    private init(of uid: UserID, _ record: TreeValue) {
        self.uid = uid
        began = record["began"]?.timestampValue ?? .epoch
        ended = record["ended"]?.timestampValue
        let counts = Part.allCases.map { ($0, Int(clamping: record[$0.key]?.integerValue ?? 0)) }
        self.counts = Dictionary(uniqueKeysWithValues: counts)
    }

    /// Returns the path of a deletion's follow-up task, which exists from the beginning of the deletion to its end.
    package static func task(of uid: UserID) -> TreePath { FollowUpTaskKind.deletePerson.path / uid.key }

    /// Reads the record of a person's latest deletion; nil if there was none.
    package init?(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let record = try snapshot.get(PeopleNodes.deletion(uid)) else { return nil }
        self.init(of: uid, record)
    }

    /// Begins to delete a person. The name and the picture are removed at once, and all other data by a follow-up task;
    /// files of posts are deleted after the grace period. A deletion in progress continues.
    ///
    /// - Parameter leftovers: The person's data outside of the social data; nil for none.
    /// - Throws: `Failure` with the code `not_found` if the person has no data; `TreeError`, the engine's failure.
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
                throw Failure(.notFound, "the person does not exist", hint: "It may have been deleted already.")
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
    /// Whether there are any data of a person or about them.
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
