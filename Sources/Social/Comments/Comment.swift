package import API
import Model
package import Tree

/// A comment on a post, as it stands at `comments/{post}/{id}`: FriendlyPix's fields, and whether it was edited and whom it
/// mentions.
package struct Comment: Sendable, Hashable {
    /// The key of the post.
    package let post: TreeKey
    /// A push id, unless a client of the database wrote something else.
    package let id: TreeKey
    /// The uid of whoever wrote it.
    package let author: String
    /// The author's name and picture, as they are in the comment.
    package let fullName: String?
    package let profilePicture: String?
    package let text: String
    /// When it was written.
    package let timestamp: Timestamp
    /// When the text was changed for the last time; nil when it never was.
    package let edited: Timestamp?
    /// In the order of the text.
    package let mentions: [MentionSpan]

    /// What a calendar can show, in milliseconds around 1970 (ECMA-262 §21.4.1.1).
    private static let times = -8.64e15...8.64e15

    /// Why a record is no comment that can be shown, such as "its text is missing"; nil when it is one.
    static func fault(of record: TreeValue) -> String? {
        guard record.object != nil else { return "it is no object" }
        guard record["text"]?.stringValue != nil else { return "it has no text" }
        guard record["author"]?["uid"]?.stringValue?.isEmpty == false else { return "its author has no uid" }
        return time(record["timestamp"]) == nil ? "its timestamp is no time in milliseconds" : nil
    }

    /// Reads a record; nil when it is no comment.
    init?(_ id: TreeKey, of post: TreeKey, _ record: TreeValue) {
        guard Self.fault(of: record) == nil, let text = record["text"]?.stringValue,
            let author = record["author"]?["uid"]?.stringValue, let timestamp = Self.time(record["timestamp"])
        else { return nil }
        self.post = post
        self.id = id
        self.author = author
        fullName = record["author"]?["full_name"]?.stringValue
        profilePicture = record["author"]?["profile_picture"]?.stringValue
        self.text = text
        self.timestamp = timestamp
        edited = Self.time(record["edited"])
        mentions = MentionSpan.read(record["mentions"], of: text)
    }

    private static func time(_ value: TreeValue?) -> Timestamp? {
        value?.doubleValue.flatMap { times.contains($0) ? Timestamp(milliseconds: Int64($0)) : nil }
    }
}

/// What somebody writes: the text of a comment, and whom it mentions.
package struct CommentText: Sendable, Hashable {
    package let text: String
    package let mentions: [MentionSpan]

    /// Checks a text and its mentions; whether these people exist, is checked when it is written.
    ///
    /// - Throws: `Failure` with the code `bad_text` or `bad_mention`.
    package init(_ text: String, mentions: [MentionSpan.Claim] = []) throws(Failure) {
        guard let checked = PostText.checked(text) else {
            throw Failure(
                .badText, "the comment has more than \(PostText.maxCharacters) characters, or control characters",
                hint: "shorten it")
        }
        guard !checked.isEmpty else { throw Failure(.badText, "the comment is empty", hint: "write something") }
        self.text = checked
        self.mentions = try MentionSpan.checked(mentions, of: text, storedAs: checked)
    }
}
