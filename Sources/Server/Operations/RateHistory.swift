import API
import ServiceLifecycle
import Store
import Synchronization
import Tree
import Uploads

/// Measures rates of events: the counters are recorded each second, and kept for an hour.
///
/// The sources of events only increment counters; rates are computed when they are read.
package final class RateHistory: Service, CustomStringConvertible {
    package let description = "rates"
    /// The length of the history, in seconds.
    private static let span = 3600
    /// The length of a displayed span, in seconds, and the number of these spans.
    private static let (step, stepCount) = (10, 60)

    /// The numbers of events since the start.
    struct Counts: Sendable {
        var accepted = 0
        var published = 0
        var failed = 0
        var requests = 0
        var bytes = 0
    }

    private struct State {
        /// The counts at the beginning of each second; those of second `n` are at `n` modulo the length.
        var ring: [Counts]
        var second = 0

        var now: Counts { ring[second % ring.count] }

        /// Returns the counts this many seconds ago, or at the start, and the actual age in seconds.
        func past(_ seconds: Int) -> (counts: Counts, seconds: Int) {
            let ago = min(seconds, second)
            return (ring[(second - ago) % ring.count], ago)
        }
    }

    private let read: @Sendable () -> Counts
    private let state: Mutex<State>

    init(_ read: @escaping @Sendable () -> Counts) {
        self.read = read
        state = Mutex(State(ring: Array(repeating: Counts(), count: Self.span + 1)))
    }

    /// Records the counts of each second, until a shutdown.
    func run() async {
        let start = ContinuousClock.now
        while !Task.isEnding {
            let next = start + .seconds(state.withLock(\.second) + 1)
            try? await cancelWhenGracefulShutdown { try await Task.sleep(until: next, clock: .continuous) }
            guard !Task.isEnding else { return }
            keep(second: Int((ContinuousClock.now - start).components.seconds))
        }
    }

    /// Records the present counts for a second, and for earlier seconds that were missed.
    func keep(second: Int) {
        let counts = read()
        state.withLock { state in
            let first = max(state.second + 1, second - Self.span)
            guard first <= second else { return }
            for missed in first...second { state.ring[missed % state.ring.count] = counts }
            state.second = second
        }
    }

    /// The rates over the last minute and the last hour, or since the start.
    var rates: OperationsDocument.Rates {
        let (now, minute, hour) = state.withLock { state in
            (state.now, state.past(60), state.past(Self.span))
        }
        func rate(_ number: KeyPath<Counts, Int>) -> OperationsDocument.Rate {
            func perSecond(_ past: (counts: Counts, seconds: Int)) -> Double {
                let count = now[keyPath: number] - past.counts[keyPath: number]
                return (Double(count) / Double(max(1, past.seconds)) * 1000).rounded() / 1000
            }
            return OperationsDocument.Rate(minute: perSecond(minute), hour: perSecond(hour))
        }
        return OperationsDocument.Rates(
            accepted: rate(\.accepted), published: rate(\.published), failed: rate(\.failed),
            requests: rate(\.requests), bytes: rate(\.bytes))
    }

    /// The numbers of events in each of the last complete spans of ten seconds.
    var history: OperationsDocument.History {
        let ends = state.withLock { state in
            let last = state.second / Self.step
            return (max(0, last - Self.stepCount)...last).map { state.ring[$0 * Self.step % state.ring.count] }
        }
        var history = OperationsDocument.History(seconds: Self.step)
        for (before, after) in zip(ends, ends.dropFirst()) {
            history.published.append(after.published - before.published)
            history.failed.append(after.failed - before.failed)
            history.requests.append(after.requests - before.requests)
            history.bytes.append(after.bytes - before.bytes)
        }
        return history
    }
}
