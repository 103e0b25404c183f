package import API
package import Model
package import Tree

/// A comment on a post, stored at `comments/{post}/{id}`: FriendlyPix's fields, and the time of the last edit and the
/// mentions.
package struct Comment: Sendable, Hashable {
    /// The key of the post.
    package let post: TreeKey
    /// A push id, unless a client of the database wrote something else.
    package let id: TreeKey
    /// The uid of the author.
    package let author: String
    /// The author's name, as stored in the comment.
    package let fullName: String?
    package let profilePicture: String?
    package let text: String
    /// The time of the comment.
    package let timestamp: Timestamp
    /// The time of the last change of the text; nil for none.
    package let edited: Timestamp?
    /// The client times of the comment and of that change; nil if they are not known.
    package let clientTimestamp: Timestamp?
    package let clientEdited: Timestamp?
    /// The mentions, in the order of the text.
    package let mentions: [MentionSpan]
    /// The times by the service's clock, and by the record where they are not stored.
    package let times: EntityTimes

    /// The range of valid times, in milliseconds around 1970 (ECMA-262 §21.4.1.1).
    private static let times = -8.64e15...8.64e15

    /// Returns the fault of a record that cannot be shown as a comment, such as "it has no text"; nil for a valid
    /// record.
    static func fault(of record: TreeValue) -> String? {
        guard record.object != nil else { return "it is no object" }
        guard record["text"]?.stringValue != nil else { return "it has no text" }
        guard record["author"]?["uid"]?.stringValue?.isEmpty == false else { return "its author has no uid" }
        return time(record["timestamp"]) == nil ? "its timestamp is no time in milliseconds" : nil
    }

    /// Reads a record; nil if it is not a comment.
    ///
    /// - Parameter times: The stored times; nil for none.
    init?(_ id: TreeKey, of post: TreeKey, _ record: TreeValue, _ times: EntityTimes?) {
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
        clientTimestamp = Self.time(record["client_timestamp"])
        clientEdited = Self.time(record["client_edited"])
        mentions = MentionSpan.read(record["mentions"], of: text)
        self.times = (times ?? .unknown).completed(created: timestamp, edited: edited)
    }

    private static func time(_ value: TreeValue?) -> Timestamp? {
        value?.doubleValue.flatMap { times.contains($0) ? Timestamp(milliseconds: Int64($0)) : nil }
    }
}

/// The input for a comment: its text and its mentions.
package struct CommentText: Sendable, Hashable {
    package let text: String
    package let mentions: [MentionSpan]

    /// Checks a text and its mentions; the existence of the mentioned people is checked when the comment is written.
    ///
    /// - Throws: `Failure` with the code `bad_text` or `bad_mention`.
    package init(_ text: String, mentions: [MentionSpan.Claim] = []) throws(Failure) {
        guard let checked = PostText.checked(text) else {
            throw Failure(
                .badText, "the comment has more than \(PostText.maxCharacters) characters, or control characters",
                hint: "Shorten it.")
        }
        guard !checked.isEmpty else { throw Failure(.badText, "the comment is empty", hint: "Write something.") }
        self.text = checked
        self.mentions = try MentionSpan.checked(mentions, of: text, storedAs: checked)
    }
}
