/// A position in the change log: how many updates the store had committed.
public struct SyncToken: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The position before the first change.
    public static let start = SyncToken(sequence: 0)

    /// The sequence number of the last change that lies before this position.
    public let sequence: UInt64

    /// Makes a token from a number that was stored elsewhere.
    public init(sequence: UInt64) { self.sequence = sequence }

    /// Whether the left position is earlier.
    public static func < (left: SyncToken, right: SyncToken) -> Bool { left.sequence < right.sequence }

    /// The sequence number.
    public var description: String { String(sequence) }
}

/// One committed update.
public struct Change: Hashable, Sendable {
    /// The position just after this change.
    public let token: SyncToken
    /// The time of the commit.
    public let timestamp: Timestamp
    /// The writes, ordered by path; those that found what they write are not among them.
    public let writes: [TreeWrite]

    /// Makes a change.
    package init(token: SyncToken, timestamp: Timestamp, writes: [TreeWrite]) {
        self.token = token
        self.timestamp = timestamp
        self.writes = writes
    }
}
