import TintypeClient

/// The results of attempts that are still to be stored. One task takes them.
final class ResultQueue: Sendable {
    /// A write, and the result of its attempt; nil if it was not tried.
    typealias Element = (write: WriteSender.Resolved, attempt: Attempt?)

    private let pending = Guarded<[Element]>([])
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Adds a result.
    func add(_ write: WriteSender.Resolved, _ attempt: Attempt?) {
        pending.withLock { $0.append((write, attempt)) }
        signal.yield()
    }

    /// Notes that there are no further results.
    func finish() { signal.finish() }

    /// Waits for results and returns all that there are; nil after the last ones.
    func next() async -> [Element]? {
        for await _ in signals {
            let results = take()
            if !results.isEmpty { return results }
        }
        let results = take()
        return results.isEmpty ? nil : results
    }

    private func take() -> [Element] {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }
}
