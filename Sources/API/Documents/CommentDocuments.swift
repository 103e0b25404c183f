/// A part of a text that stands for a person.
package struct MentionDocument: Document {
    package let uid: String
    /// The UTF-16 units before it.
    package let start: Int
    /// UTF-16 units.
    package let length: Int
    /// The characters before it, as people count them (UAX #29).
    package let characterStart: Int
    package let characterLength: Int

    private enum CodingKeys: String, CodingKey {
        case uid, start, length
        case characterStart = "character_start"
        case characterLength = "character_length"
    }

    package init(uid: String, start: Int, length: Int, characterStart: Int, characterLength: Int) {
        self.uid = uid
        self.start = start
        self.length = length
        self.characterStart = characterStart
        self.characterLength = characterLength
    }
}

/// A comment on a post.
package struct CommentDocument: Document {
    /// Whoever wrote it, with their name and picture as the comment has them.
    package struct Author: Document {
        package let uid: String
        package let fullName: String?
        package let profilePicture: String?

        private enum CodingKeys: String, CodingKey {
            case uid
            case fullName = "full_name"
            case profilePicture = "profile_picture"
        }

        package init(uid: String, fullName: String?, profilePicture: String?) {
            self.uid = uid
            self.fullName = fullName
            self.profilePicture = profilePicture
        }
    }

    package let postID: String
    package let commentID: String
    package let author: Author
    package let text: String
    /// When it was written, in milliseconds since the epoch.
    package let timestamp: Int64
    /// When its text was changed for the last time, in milliseconds since the epoch; nil when it never was.
    package let edited: Int64?
    /// In the order of the text; nil for none.
    package let mentions: [MentionDocument]?

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case author, text, timestamp, edited, mentions
    }

    package init(
        postID: String, commentID: String, author: Author, text: String, timestamp: Int64, edited: Int64?,
        mentions: [MentionDocument]
    ) {
        self.postID = postID
        self.commentID = commentID
        self.author = author
        self.text = text
        self.timestamp = timestamp
        self.edited = edited
        self.mentions = mentions.isEmpty ? nil : mentions
    }
}

/// A page of the comments on a post.
package struct CommentPageDocument: Document {
    /// A record below `comments/{post}` that is no comment.
    package struct Skipped: Document {
        package let path: String
        package let reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    package var comments: [CommentDocument]
    package var hasMore: Bool
    /// From where the next page goes on; nil when there is none.
    package var next: String?
    package var skipped: [Skipped]?

    private enum CodingKeys: String, CodingKey {
        case comments
        case hasMore = "has_more"
        case next, skipped
    }

    package init(comments: [CommentDocument], next: String?, skipped: [Skipped] = []) {
        self.comments = comments
        hasMore = next != nil
        self.next = next
        self.skipped = skipped.isEmpty ? nil : skipped
    }
}

/// The deletion of a comment.
package struct CommentDeletionDocument: Document {
    package let postID: String
    package let commentID: String
    package var deleted = true

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case deleted
    }

    package init(postID: String, commentID: String) {
        self.postID = postID
        self.commentID = commentID
    }
}
