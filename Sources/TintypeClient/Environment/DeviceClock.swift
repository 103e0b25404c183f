#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock of the device. A device's clock may be wrong and may jump: nothing but waiting and what people see depends on it.
public protocol DeviceClock: Sendable {
    /// The present time.
    var now: Date { get }

    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func sleep(for duration: Duration) async throws
}

/// The clock of the system.
public struct SystemClock: DeviceClock {
    /// Creates the clock.
    public init() {}

    /// The present time.
    public var now: Date { Date() }

    /// Waits; also while the system sleeps.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
