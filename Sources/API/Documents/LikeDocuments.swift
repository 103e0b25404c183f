/// The state of a user's like of a post, after a request.
package struct LikeDocument: Document {
    package let postID: String
    package let uid: String
    /// Whether the user likes the post.
    package let liked: Bool
    /// The number of all users who like the post.
    package let likes: Int64
    /// The time of the like, in milliseconds since the epoch; nil for none, and if it is not known.
    package var created: Int64?
    /// The time of the last change of the like, in milliseconds since the epoch; nil for none, and if it is not known.
    package var updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case uid, liked, likes, created, updated
    }

    package init(postID: String, uid: String, liked: Bool, likes: Int64) {
        self.postID = postID
        self.uid = uid
        self.liked = liked
        self.likes = likes
    }
}

/// A page of the users who like a post.
package struct LikePageDocument: Document {
    /// A user who likes the post.
    package struct Person: Document {
        package let uid: String
        /// The name; absent if the requester may not read people.
        package let fullName: String?
        package let profilePicture: String?
        /// The time of the like, in milliseconds since the epoch.
        package let timestamp: Int64?
        /// The time at which the service stored the like, in milliseconds since the epoch; nil if it is not known.
        package var created: Int64?
        /// The time of the last change of the like, in milliseconds since the epoch; nil if it is not known.
        package var updated: Int64?

        private enum CodingKeys: String, CodingKey {
            case uid
            case fullName = "full_name"
            case profilePicture = "profile_picture"
            case timestamp, created, updated
        }

        package init(uid: String, fullName: String?, profilePicture: String?, timestamp: Int64?) {
            self.uid = uid
            self.fullName = fullName
            self.profilePicture = profilePicture
            self.timestamp = timestamp
        }
    }

    /// The users in the order of their ids.
    package var people: [Person]
    /// The number of all users who like the post.
    package let likes: Int64
    package var hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case people, likes
        case hasMore = "has_more"
        case next
    }

    package init(people: [Person], likes: Int64, next: String?) {
        self.people = people
        self.likes = likes
        hasMore = next != nil
        self.next = next
    }
}
