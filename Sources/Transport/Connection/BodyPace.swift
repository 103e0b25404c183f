import NIOCore

/// The minimum pace of a body: a sender that trickles would otherwise hold a connection and its upload as long as it
/// likes.
///
/// Only the time spent waiting for the sender counts, not the time in which the service processes what has arrived. A
/// sender may pause for as long as ``patience``; beyond that it must send 512 bytes per second, a tenth of what the
/// slowest mobile networks carry. Faster transfer makes up for an earlier pause, but gives no credit for a later one:
/// otherwise a sender of many bytes could hold the connection for hours.
struct BodyPace {
    static let minBytesPerSecond: Int64 = 512
    private static let nanosecondsPerByte = 1_000_000_000 / minBytesPerSecond

    let patience: TimeAmount
    /// The time by which the sender is behind.
    private var delay = TimeAmount.zero
    private var waitsSince: NIODeadline?

    init(patience: TimeAmount) { self.patience = patience }

    /// Starts the clock.
    mutating func wait(at now: NIODeadline) { waitsSince = waitsSince ?? now }

    /// Counts bytes that have arrived.
    mutating func receive(_ count: Int, at now: NIODeadline) {
        if let since = waitsSince { delay = delay + (now - since) }
        waitsSince = nil
        delay = max(.zero, delay - .nanoseconds(Int64(count) * Self.nanosecondsPerByte))
    }

    /// Returns the time that remains to wait for more bytes; zero or less if the sender is too slow.
    func left(at now: NIODeadline) -> TimeAmount {
        patience - delay - (waitsSince.map { now - $0 } ?? .zero)
    }
}
