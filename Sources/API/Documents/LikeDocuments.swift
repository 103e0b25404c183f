/// What has become of somebody's like of a post.
package struct LikeDocument: Document {
    package let postID: String
    package let uid: String
    /// Whether they like it.
    package let liked: Bool
    /// The number of all who like it.
    package let likes: Int64

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case uid, liked, likes
    }

    package init(postID: String, uid: String, liked: Bool, likes: Int64) {
        self.postID = postID
        self.uid = uid
        self.liked = liked
        self.likes = likes
    }
}

/// A page of those who like a post.
package struct LikePageDocument: Document {
    /// Somebody who likes it.
    package struct Person: Document {
        package let uid: String
        /// Absent where people may not be read.
        package let fullName: String?
        package let profilePicture: String?
        /// Since when, in milliseconds since the epoch.
        package let timestamp: Int64?

        private enum CodingKeys: String, CodingKey {
            case uid
            case fullName = "full_name"
            case profilePicture = "profile_picture"
            case timestamp
        }

        package init(uid: String, fullName: String?, profilePicture: String?, timestamp: Int64?) {
            self.uid = uid
            self.fullName = fullName
            self.profilePicture = profilePicture
            self.timestamp = timestamp
        }
    }

    /// In the order of their ids.
    package var people: [Person]
    /// The number of all who like it.
    package let likes: Int64
    package var hasMore: Bool
    /// From where the next page goes on; nil when there is none.
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
