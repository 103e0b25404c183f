import Database

/// The part of a client's messages that has come, and whether more of them is to be read.
///
/// A long message is kept until its end has come. So one that is more than a token or a query comes to its end only for
/// whom rules may let write something.
struct MessageReading {
    /// The longest time that a message may take to come, in seconds.
    private static let maxSeconds = 120
    /// The most of a message that is kept for anybody, in bytes.
    static let freeBytes = 64 << 10

    /// Whether the client may send the message that is coming.
    private enum Permission {
        case notNeeded, needed, asked, decided
    }

    var joiner = MessageJoiner()
    /// The share of the budget by which the bytes of messages that are not complete are counted.
    var memory: ByteBudget.Share?
    /// Whether the client has sent too much, and is read again when it is due.
    var isDelayed = false
    /// Whether the connection waits to be read.
    var isHeld = false
    private var permission = Permission.notNeeded
    /// The number of messages before the one that is coming.
    private var messageCount = 0
    private var seconds = 0

    /// Whether more is to be read.
    var isReady: Bool { !isDelayed && permission != .needed && permission != .asked }

    /// Notes what has become of the message with a frame.
    mutating func noteFrame() {
        guard joiner.isWithinMessage else {
            (permission, seconds) = (.notNeeded, 0)
            messageCount += 1
            return
        }
        if permission == .notNeeded, joiner.byteCount > Self.freeBytes { permission = .needed }
    }

    /// Begins to ask whether the client may send the message, if that is to be asked.
    ///
    /// - Returns: Which message it is.
    mutating func beginAsking() -> Int? {
        guard permission == .needed else { return nil }
        permission = .asked
        return messageCount
    }

    /// Takes the answer, unless the message has come to its end meanwhile.
    mutating func decide(_ maySend: Bool, on message: Int) {
        guard permission == .asked, message == messageCount else { return }
        permission = .decided
        guard !maySend else { return }
        joiner.deny()
        memory = nil
    }

    /// Notes that a second has gone by.
    ///
    /// - Returns: Whether the message still has time.
    mutating func tick() -> Bool {
        if joiner.isWithinMessage { seconds += 1 }
        return seconds <= Self.maxSeconds
    }
}
