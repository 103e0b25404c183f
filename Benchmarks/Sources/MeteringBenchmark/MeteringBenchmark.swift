import CoreMetrics
import Foundation
import Metering
import Synchronization

/// Measures the cost of counters and timers, beside the simplest alternative: a number behind a `Mutex`.
@main
struct MeteringBenchmark {
    private static let count = 2_000_000
    private static let rounds = 5

    private final class Peer: Sendable {
        let number = Mutex(0)
    }

    static func main() {
        let registry = MetricsRegistry()
        let counter = registry.counter("increments_total", "Increments.")
        let timer = registry.timer("times_seconds", "Times.")
        let peer = Peer()
        print(
            "threads  what                           ns     x the Mutex   (medians of \(rounds), one after the other)")
        for threads in Set([1, ProcessInfo.processInfo.activeProcessorCount]).sorted() {
            let works: [(name: String, work: @Sendable (Int) -> Void)] = [
                ("a number behind a Mutex", { _ in peer.number.withLock { $0 += 1 } }),
                ("an increment", { _ in counter.increment() }),
                ("an observation", { timer.recordNanoseconds(Int64($0) &* 997) }),
                (
                    "an observation, with the clock",
                    { _ in
                        let start = ContinuousClock.now
                        timer.record(since: start)
                    }
                ),
            ]
            var times = works.map { _ in [Double]() }
            // In turns, so that other work of the machine affects all of them.
            for _ in 0..<rounds {
                for (index, work) in works.enumerated() { times[index].append(time(work.work, threads: threads)) }
            }
            let medians = times.map { $0.sorted()[rounds / 2] }
            for (work, median) in zip(works, medians) {
                let figures = String(format: "%10.1f %10.2f", median, median / medians[0])
                print("\(threads)        \(work.name.padding(toLength: 30, withPad: " ", startingAt: 0))\(figures)")
            }
        }
    }

    /// Returns the nanoseconds of one of many calls, which this many threads make at a time.
    private static func time(_ work: @escaping @Sendable (Int) -> Void, threads: Int) -> Double {
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for index in 0..<count { work(index) }
        }
        return (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
    }
}
