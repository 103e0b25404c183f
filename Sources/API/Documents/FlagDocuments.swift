/// The state of a user's flag on a post or a comment, after a request.
package struct FlagDocument: Document {
    package let postID: String
    package let commentID: String?
    package let uid: String
    /// Whether the user flags it.
    package let flagged: Bool

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case uid, flagged
    }

    package init(postID: String, commentID: String?, uid: String, flagged: Bool) {
        (self.postID, self.commentID, self.uid, self.flagged) = (postID, commentID, uid, flagged)
    }
}

/// A post or a comment that users have flagged.
package struct FlaggedDocument: Document {
    package let postID: String
    package let commentID: String?
    /// The number of users who flag it.
    package let flags: Int64
    /// The time of the first flag, in milliseconds since the epoch.
    package let since: Int64
    /// The author, with the present name.
    package let author: PersonDocument?
    package let text: String?

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case flags, since, author, text
    }

    package init(
        postID: String, commentID: String?, flags: Int64, since: Int64, author: PersonDocument?, text: String?
    ) {
        (self.postID, self.commentID, self.flags, self.since) = (postID, commentID, flags, since)
        (self.author, self.text) = (author, text)
    }
}

/// A page of flagged posts and comments.
package struct FlaggedPageDocument: Document {
    package let flagged: [FlaggedDocument]
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case flagged
        case hasMore = "has_more"
        case next
    }

    package init(flagged: [FlaggedDocument], next: String?) {
        self.flagged = flagged
        hasMore = next != nil
        self.next = next
    }
}

/// The dismissal of flags: an admin has reviewed the content and accepts it.
package struct FlagDismissalDocument: Document {
    package let postID: String
    package let commentID: String?
    package var dismissed = true

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case commentID = "comment_id"
        case dismissed
    }

    package init(postID: String, commentID: String?) { (self.postID, self.commentID) = (postID, commentID) }
}
