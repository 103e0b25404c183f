/// Somebody.
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
    /// What the person does, such as "speaker".
    package var role: String?
    /// What the person says about themselves.
    package var bio: String?
    /// Nil in lists, and for those who may not read them.
    package var counts: Counts?
    /// Whether whoever asks follows the person; nil in lists, and where nobody asks.
    package var isFollowed: Bool?
    /// Whether whoever asks has blocked the person; nil in lists, and where nobody asks.
    package var isBlocked: Bool?

    private enum CodingKeys: String, CodingKey {
        case uid
        case fullName = "full_name"
        case profilePicture = "profile_picture"
        case role, bio, counts
        case isFollowed = "followed"
        case isBlocked = "blocked"
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
    /// From where the next page goes on; nil when there is none.
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
        /// Without its mark.
        package let tag: String
        /// Of how many posts; of more than 1,000 it is not counted, and this is 1,000.
        package let posts: Int

        package init(_ tag: String, posts: Int) {
            self.tag = tag
            self.posts = posts
        }
    }

    package let hashtags: [Hashtag]
    package let hasMore: Bool
    /// From where the next page goes on; nil when there is none.
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

/// Whether somebody follows another.
package struct FollowDocument: Document {
    package let follower: String
    package let followee: String
    package let isFollowing: Bool

    private enum CodingKeys: String, CodingKey {
        case follower, followee
        case isFollowing = "following"
    }

    package init(_ follower: String, _ followee: String, isFollowing: Bool) {
        self.follower = follower
        self.followee = followee
        self.isFollowing = isFollowing
    }
}

/// Whether somebody has blocked another.
package struct BlockDocument: Document {
    package let blocker: String
    package let blocked: String
    package let isBlocking: Bool

    private enum CodingKeys: String, CodingKey {
        case blocker, blocked
        case isBlocking = "blocking"
    }

    package init(_ blocker: String, _ blocked: String, isBlocking: Bool) {
        self.blocker = blocker
        self.blocked = blocked
        self.isBlocking = isBlocking
    }
}

/// The receipt of a person's deletion: what was removed so far, and when it began and ended.
package struct PersonDeletionDocument: Document {
    /// How many of each were removed: what the person made, and what was about them.
    package struct Removed: Document {
        /// Drafts, and uploads that were not published yet.
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
    /// Milliseconds since the epoch.
    package let began: Int64
    /// When nothing was left, in milliseconds since the epoch; nil until then.
    package let ended: Int64?
    package let removed: Removed

    package init(uid: String, began: Int64, ended: Int64?, removed: Removed) {
        self.uid = uid
        self.began = began
        self.ended = ended
        self.removed = removed
    }
}
