public import Foundation
public import TintypeClient

/// A clock whose time a test moves. Tasks that sleep wake in the order of their times.
public final class ManualClock: DeviceClock {
    fileprivate struct Sleeper: Sendable {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State: Sendable {
        var now: Date
        /// The time since the clock was created, which `set(_:)` leaves alone.
        var elapsed = Duration.zero
        var sleepers: [UUID: Sleeper] = [:]
        var order: [UUID] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Guarded<State>

    /// Creates a clock.
    ///
    /// - Parameter now: The present time.
    public init(now: Date = Date(timeIntervalSince1970: 1_800_000_000)) { state = Guarded(State(now: now)) }

    /// The present time.
    public var now: Date { state.withLock { $0.now } }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.order.count } }

    /// Sets the present time, as a person or a network does who corrects a device's clock. It wakes no task.
    public func set(_ now: Date) { state.withLock { $0.now = now } }

    /// Moves the time on, and wakes the tasks whose time has come, each at its own time.
    ///
    /// A task that has woken, and sleeps again for a time within the same move, is woken again if it sleeps before other
    /// tasks have had their turn; `waitForSleepers(_:)` before the next move makes a test sure of it.
    public func advance(by duration: Duration) async {
        let end = state.withLock { $0.elapsed + duration }
        while true {
            await Self.letOthersRun()
            let woken = state.withLock { $0.next(until: end) }
            guard let woken else { return }
            woken.continuation.resume()
        }
    }

    private static func letOthersRun() async { for _ in 0..<20 { await Task.yield() } }

    /// Waits until at least so many tasks sleep.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isEnough = state.withLock { state in
                if state.order.count < count { state.waiters.append((count, continuation)) }
                return state.order.count >= count
            }
            if isEnough { continuation.resume() }
        }
    }

    /// Waits until the time has been moved so far.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                if duration <= .zero { return continuation.resume() }
                let waiters = state.withLock { $0.add(id, duration, continuation) }
                for waiter in waiters { waiter.resume() }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UUID) {
        state.withLock { $0.remove(id) }?.continuation.resume(throwing: CancellationError())
    }
}

extension ManualClock.State {
    fileprivate mutating func add(
        _ id: UUID, _ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>
    ) -> [CheckedContinuation<Void, Never>] {
        let deadline = elapsed + duration
        sleepers[id] = .init(deadline: deadline, continuation: continuation)
        let index = order.firstIndex { sleepers[$0].map { $0.deadline > deadline } ?? false } ?? order.endIndex
        order.insert(id, at: index)
        let ready = waiters.filter { $0.count <= order.count }.map(\.continuation)
        waiters.removeAll { $0.count <= order.count }
        return ready
    }

    fileprivate mutating func remove(_ id: UUID) -> ManualClock.Sleeper? {
        order.removeAll { $0 == id }
        return sleepers.removeValue(forKey: id)
    }

    /// Moves the time to the next sleeper, which wakes, or to the end if there is none before.
    fileprivate mutating func next(until end: Duration) -> ManualClock.Sleeper? {
        guard let first = order.first, let sleeper = sleepers[first], sleeper.deadline <= end else {
            move(to: end)
            return nil
        }
        move(to: sleeper.deadline)
        return remove(first)
    }

    private mutating func move(to time: Duration) {
        guard time > elapsed else { return }
        now += (time - elapsed) / .seconds(1)
        elapsed = time
    }
}
