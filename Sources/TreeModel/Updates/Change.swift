/// A position in the change log: the number of updates that the store has committed.
public struct SyncToken: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The position before the first change.
    public static let start = SyncToken(sequence: 0)

    /// The sequence number of the last change before this position.
    public let sequence: UInt64

    /// Creates a token from a stored number.
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
    /// The writes in the order of their paths, without those that changed nothing.
    public let writes: [TreeWrite]

    /// Creates a change.
    package init(token: SyncToken, timestamp: Timestamp, writes: [TreeWrite]) {
        self.token = token
        self.timestamp = timestamp
        self.writes = writes
    }
}
