import Synchronization

/// Lets bytes pass at no more than a rate, over all who share it.
final class Pacer: Sendable {
    private struct State {
        var start = ContinuousClock.now
        var byteCount = 0
    }

    /// Bytes in a second; nil for as many as come.
    private let rate: Int?
    private let state = Mutex(State())

    init(bytesPerSecond rate: Int?) {
        self.rate = rate
    }

    /// How many bytes have passed.
    var byteCount: Int { state.withLock(\.byteCount) }

    /// Counts bytes, and waits until they may have passed.
    ///
    /// - Throws: `CancellationError`.
    func pass(_ count: Int) async throws {
        let due = state.withLock { state in
            state.byteCount += count
            return rate.map { state.start + .seconds(Double(state.byteCount) / Double($0)) }
        }
        if let due, due > .now { try await Task.sleep(until: due) }
    }
}
