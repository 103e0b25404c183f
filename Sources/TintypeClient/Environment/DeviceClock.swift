#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock of the device. A device's clock may be wrong and may jump: nothing but waiting and what people see depends on it.
public protocol DeviceClock: Sendable {
    /// The present time.
    var now: Date { get }

    /// The time since a fixed moment, also while the system sleeps. Unlike `now`, it does not jump where the system can
    /// prevent that.
    var uptime: Duration { get }

    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func sleep(for duration: Duration) async throws
}

extension DeviceClock {
    /// The time since 1970, for clocks that have no better one.
    public var uptime: Duration { .seconds(now.timeIntervalSince1970) }
}

/// The clock of the system.
public struct SystemClock: DeviceClock {
    private static let start = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// The present time.
    public var now: Date { Date() }

    /// The time since the first use of such a clock.
    public var uptime: Duration { ContinuousClock.now - Self.start }

    /// Waits; also while the system sleeps.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
