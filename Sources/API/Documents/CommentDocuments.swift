/// A part of a text that mentions a person.
package struct MentionDocument: Document {
    package let uid: String
    /// The number of UTF-16 units before the mention.
    package let start: Int
    /// The length, in UTF-16 units.
    package let length: Int
    /// The number of characters before the mention, as people count characters (UAX #29).
    package let characterStart: Int
    /// The length, in such characters.
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
    /// The author of a comment, with the name and picture that are stored in the comment.
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
    /// The time of writing, in milliseconds since the epoch.
    package let timestamp: Int64
    /// The time of writing by the clock of the author's device; nil if it is not known.
    package var clientTimestamp: Int64?
    /// The time of the last change of the text, in milliseconds since the epoch; nil if it never changed.
    package let edited: Int64?
    /// The time of that change by the clock of the author's device; nil if it is not known.
    package var clientEdited: Int64?
    /// The mentions in the order of the text; nil for none.
    package let mentions: [MentionDocument]?
    /// The time at which the service stored the comment, in milliseconds since the epoch.
    package let created: Int64?
    /// The time of the last change of the record, in milliseconds since the epoch.
    package let updated: Int64?

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case author, text, timestamp
        case clientTimestamp = "client_timestamp"
        case edited
        case clientEdited = "client_edited"
        case mentions, created, updated
    }

    package init(
        postID: String, commentID: String, author: Author, text: String, timestamp: Int64, edited: Int64?,
        mentions: [MentionDocument], created: Int64?, updated: Int64?
    ) {
        (self.created, self.updated) = (created, updated)
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
    /// A record below `comments/{post}` that is not a comment.
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
    /// The cursor of the next page; nil on the last page.
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
