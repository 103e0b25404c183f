import Synchronization

/// A limit on the rate at which units, such as bytes, pass. Its users share the rate. Any thread.
package final class RateLimiter: Sendable {
    private struct State {
        var start = ContinuousClock.now
        var count = 0
    }

    private let rate: Int?
    private let state = Mutex(State())

    /// - Parameter rate: The limit, in units per second; nil for no limit.
    package init(perSecond rate: Int?) {
        self.rate = rate
    }

    /// The number of units that have passed.
    package var count: Int { state.withLock(\.count) }

    /// Counts units, and waits until they may pass.
    ///
    /// - Throws: `CancellationError`.
    package func pass(_ units: Int) async throws {
        let due = state.withLock { state in
            state.count += units
            return rate.map { state.start + .seconds(Double(state.count) / Double($0)) }
        }
        if let due, due > .now { try await Task.sleep(until: due) }
    }
}
