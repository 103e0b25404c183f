public import TintypeModel

/// The fate of a write.
public enum WriteState: Hashable, Sendable {
    /// It is safe on the device, and must be sent.
    case queued
    /// It is being sent.
    ///
    /// - Parameters:
    ///   - sentCount: The number of bytes of its photos that have been sent.
    ///   - count: The number of all bytes of its photos.
    case sending(sentCount: Int64, count: Int64)
    /// The service has carried it out.
    case sent
    /// The service has carried it out, and what the device reads from it includes the write.
    case applied
    /// The service has refused it. It waits for `retry`, `discard` or another write on the same.
    case refused(Problem)
    /// Somebody else has changed the same since. It waits for `retry`, which replaces their version, or `discard`.
    case conflict(Conflict)
    /// It was discarded, or a later write has made it unnecessary.
    case withdrawn

    /// Whether the state is the last one.
    public var isFinal: Bool {
        switch self {
        case .applied, .withdrawn: true
        case .queued, .sending, .sent, .refused, .conflict: false
        }
    }
}

/// Two versions of the same, of which the app or the person decides.
public enum Conflict: Hashable, Sendable {
    /// The text of a post. Mine is nil for no text.
    case post(Post.ID, mine: String?, theirs: Post)
    /// The text of a comment.
    case comment(Comment.ID, mine: String, theirs: Comment)
    /// The value of a node of the tree. Mine is the values by their paths below it.
    case tree(path: String, mine: [String: JSONValue], theirs: JSONValue)
}

/// A write that waits for the person.
public struct ParkedWrite: Hashable, Sendable, Identifiable {
    /// The reason why it waits.
    public enum Reason: Hashable, Sendable {
        /// The service has refused it.
        case refused(Problem)
        /// Somebody else has changed the same since.
        case conflict(Conflict)
    }

    /// The id of the write.
    public let id: WriteID
    /// The post that it is or concerns; nil for others.
    public let post: Post.ID?
    /// The reason why it waits.
    public let reason: Reason

    /// Creates a write that waits, for previews and tests of an app.
    public init(id: WriteID, post: Post.ID? = nil, reason: Reason) {
        (self.id, self.post, self.reason) = (id, post, reason)
    }
}
