import Database

/// The state of reading a client's messages: the current message, and whether to read more.
///
/// A long message is kept until its end has arrived. Therefore a message larger than a token or a query is received
/// only from a client that the rules may allow to write.
struct MessageReading {
    /// The longest time for a message to arrive, in seconds.
    private static let maxSeconds = 120
    /// The number of bytes of a message that are kept for any client.
    static let freeBytes = 64 << 10

    /// The permission of the client to send the current message.
    private enum Permission {
        case notNeeded, needed, asked, decided
    }

    var joiner = MessageJoiner()
    /// The share of the budget by which the bytes of incomplete messages are counted.
    var memory: ByteBudget.Share?
    /// Whether reading is paused because the client has sent too much.
    var isDelayed = false
    /// Whether a read of the connection is held back.
    var isHeld = false
    private var permission = Permission.notNeeded
    /// The number of messages before the current one.
    private var messageCount = 0
    private var seconds = 0

    /// Whether to read more.
    var isReady: Bool { !isDelayed && permission != .needed && permission != .asked }

    /// Updates the state after a frame.
    mutating func noteFrame() {
        guard joiner.isWithinMessage else {
            (permission, seconds) = (.notNeeded, 0)
            messageCount += 1
            return
        }
        if permission == .notNeeded, joiner.byteCount > Self.freeBytes { permission = .needed }
    }

    /// Begins to check whether the client may send the message, if that must be checked.
    ///
    /// - Returns: The number of the message; nil if no check is needed.
    mutating func beginAsking() -> Int? {
        guard permission == .needed else { return nil }
        permission = .asked
        return messageCount
    }

    /// Applies the result of the check, unless the message has ended meanwhile.
    mutating func decide(_ maySend: Bool, on message: Int) {
        guard permission == .asked, message == messageCount else { return }
        permission = .decided
        guard !maySend else { return }
        joiner.deny()
        memory = nil
    }

    /// Counts a second.
    ///
    /// - Returns: Whether the message has time left.
    mutating func tick() -> Bool {
        if joiner.isWithinMessage { seconds += 1 }
        return seconds <= Self.maxSeconds
    }
}
