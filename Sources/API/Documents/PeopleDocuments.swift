/// A person.
package struct PersonDocument: Document {
    /// The numbers of a person's posts, followers and followees.
    package struct Counts: Document {
        package let posts: Int64
        package let followers: Int64
        package let following: Int64

        package init(posts: Int64, followers: Int64, following: Int64) {
            self.posts = posts
            self.followers = followers
            self.following = following
        }
    }

    package let uid: String
    package let fullName: String
    package let profilePicture: String?
    /// The person's role, such as "speaker".
    package var role: String?
    /// The person's own description.
    package var bio: String?
    /// The person's counts; nil in lists, and if the requester may not read them.
    package var counts: Counts?
    /// Whether the requester follows the person; nil in lists and without a requester.
    package var isFollowed: Bool?
    /// Whether the requester has blocked the person; nil in lists and without a requester.
    package var isBlocked: Bool?
    /// The time of the person's first record, in milliseconds since the epoch; nil if it is not known, and within other
    /// documents.
    package var created: Int64?
    /// The time of the last change of the profile, in milliseconds since the epoch; nil if it is not known, and within
    /// other documents.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case uid
        case fullName = "full_name"
        case profilePicture = "profile_picture"
        case role, bio, counts
        case isFollowed = "followed"
        case isBlocked = "blocked"
        case created, updated
    }

    package init(uid: String, fullName: String, profilePicture: String?) {
        self.uid = uid
        self.fullName = fullName
        self.profilePicture = profilePicture
    }
}

/// A page of people.
package struct PeoplePageDocument: Document {
    package let people: [PersonDocument]
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case people
        case hasMore = "has_more"
        case next
    }

    package init(people: [PersonDocument], next: String?) {
        self.people = people
        self.hasMore = next != nil
        self.next = next
    }
}

/// A page of hashtags.
package struct HashtagPageDocument: Document {
    package struct Hashtag: Document {
        /// The hashtag without its mark.
        package let tag: String
        /// The number of posts; counted up to 1,000, so that 1,000 means at least 1,000.
        package let posts: Int

        package init(_ tag: String, posts: Int) {
            self.tag = tag
            self.posts = posts
        }
    }

    package let hashtags: [Hashtag]
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case hashtags
        case hasMore = "has_more"
        case next
    }

    package init(hashtags: [Hashtag], hasMore: Bool) {
        self.hashtags = hashtags
        self.hasMore = hasMore
        next = hasMore ? hashtags.last?.tag : nil
    }
}

/// The state of a follow, after a request.
package struct FollowDocument: Document {
    package let follower: String
    package let followee: String
    package let isFollowing: Bool
    /// The time of the follow, in milliseconds since the epoch; nil for none, and if it is not known.
    package var created: Int64?
    /// The same time: a follow does not change.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case follower, followee
        case isFollowing = "following"
        case created, updated
    }

    package init(_ follower: String, _ followee: String, isFollowing: Bool) {
        self.follower = follower
        self.followee = followee
        self.isFollowing = isFollowing
    }
}

/// The state of a block, after a request.
package struct BlockDocument: Document {
    package let blocker: String
    package let blocked: String
    package let isBlocking: Bool
    /// The time of the block, in milliseconds since the epoch; nil for none, and if it is not known.
    package var created: Int64?
    /// The same time: a block does not change.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case blocker, blocked
        case isBlocking = "blocking"
        case created, updated
    }

    package init(_ blocker: String, _ blocked: String, isBlocking: Bool) {
        self.blocker = blocker
        self.blocked = blocked
        self.isBlocking = isBlocking
    }
}

/// The receipt of a person's deletion: the counts of what was removed so far, and the times of its beginning and end.
package struct PersonDeletionDocument: Document {
    /// The numbers of removed records: those that the person created, and those about the person.
    package struct Removed: Document {
        /// Drafts and uploads that were not published yet.
        package let uploads: Int
        package let posts: Int
        package let comments: Int
        package let likes: Int
        package let flags: Int
        package let following: Int
        package let followers: Int
        package let blocks: Int
        package let notifications: Int
        /// Posts that were in the person's home feed.
        package let feed: Int

        package init(
            uploads: Int, posts: Int, comments: Int, likes: Int, flags: Int, following: Int, followers: Int,
            blocks: Int,
            notifications: Int, feed: Int
        ) {
            self.uploads = uploads
            self.posts = posts
            self.comments = comments
            self.likes = likes
            self.flags = flags
            self.following = following
            self.followers = followers
            self.blocks = blocks
            self.notifications = notifications
            self.feed = feed
        }
    }

    package let uid: String
    /// The time at which the deletion began, in milliseconds since the epoch.
    package let began: Int64
    /// The time at which the deletion was complete, in milliseconds since the epoch; nil until then.
    package let ended: Int64?
    package let removed: Removed

    package init(uid: String, began: Int64, ended: Int64?, removed: Removed) {
        self.uid = uid
        self.began = began
        self.ended = ended
        self.removed = removed
    }
}
