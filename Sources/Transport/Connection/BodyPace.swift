import NIOCore

/// Whether a body comes fast enough to be waited for: a sender that trickles holds a connection, and what it uploads, for as
/// long as it likes.
///
/// Only the time that is waited for the sender counts, not what the service takes to deal with what came. A sender may
/// pause for as long as ``patience``; beyond that it has to send 512 bytes for each second: a tenth of what the slowest
/// telephone networks carry. What comes faster makes up for a pause before it, and is no credit for a longer one later:
/// otherwise whoever has sent much might hold it for hours.
struct BodyPace {
    static let minBytesPerSecond: Int64 = 512
    private static let nanosecondsPerByte = 1_000_000_000 / minBytesPerSecond

    let patience: TimeAmount
    /// The time by which the sender is behind.
    private var delay = TimeAmount.zero
    private var waitsSince: NIODeadline?

    init(patience: TimeAmount) { self.patience = patience }

    /// From now on is waited for the sender.
    mutating func wait(at now: NIODeadline) { waitsSince = waitsSince ?? now }

    /// Bytes have come.
    mutating func receive(_ count: Int, at now: NIODeadline) {
        if let since = waitsSince { delay = delay + (now - since) }
        waitsSince = nil
        delay = max(.zero, delay - .nanoseconds(Int64(count) * Self.nanosecondsPerByte))
    }

    /// How long is still waited for more, from now on; zero or less when it took too long.
    func left(at now: NIODeadline) -> TimeAmount {
        patience - delay - (waitsSince.map { now - $0 } ?? .zero)
    }
}
