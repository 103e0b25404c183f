/// What has become of somebody's flag at a post or a comment.
package struct FlagDocument: Document {
    package let postID: String
    package let commentID: String?
    package let uid: String
    /// Whether it is flagged by them.
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

/// A post or a comment that people have flagged.
package struct FlaggedDocument: Document {
    package let postID: String
    package let commentID: String?
    /// The number of those who have.
    package let flags: Int64
    /// Since when somebody has, in milliseconds since the epoch.
    package let since: Int64
    /// Whose it is, by the present name.
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

/// A page of what people have flagged.
package struct FlaggedPageDocument: Document {
    package let flagged: [FlaggedDocument]
    package let hasMore: Bool
    /// From where the next page goes on; nil when there is none.
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

/// That an admin has looked at what was flagged, and has nothing against it.
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
