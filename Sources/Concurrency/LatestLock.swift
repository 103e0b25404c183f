import Synchronization

/// A lock for each key that the latest requester gets: a new requester asks the holder to end, and waits until it has.
///
/// The opposite of ``KeyedLock``, for holders that wait for a client which may have disconnected. Methods may be called
/// from any task.
package final class LatestLock<Key: Hashable & Sendable>: Sendable {
    /// A holder of a key, which can be notified that another task requests the key.
    private final class Holder: Sendable {
        private struct State {
            var isWanted = false
            var isOver = false
            var waiting: CheckedContinuation<Bool, Never>?
        }

        private let state = Mutex(State())

        /// Requests that the holder end.
        func want() { finish { $0.isWanted = true } }

        /// Marks the holder as ended; it needs no notification from now on.
        func end() { finish { $0.isOver = true } }

        private func finish(_ change: (inout State) -> Void) {
            let (waiting, isWanted) = state.withLock { state in
                change(&state)
                defer { state.waiting = nil }
                return (state.waiting, state.isWanted)
            }
            waiting?.resume(returning: isWanted)
        }

        var isWanted: Bool { state.withLock { $0.isWanted } }

        /// Waits until another task requests the key (true), or the holder has ended (false). For one waiter.
        func wait() async -> Bool {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    if state.isWanted || state.isOver { return state.isWanted }
                    state.waiting = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// A key that is held, with its waiters in order of arrival.
    private struct Held {
        var holder: Holder
        var waiting: [(holder: Holder, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let keys = Mutex<[Key: Held]>([:])
    private let grace: Duration

    /// - Parameter grace: The time that a holder keeps the key after another task requests it, in which it can read
    ///   what a disconnected client has sent.
    package init(grace: Duration) { self.grace = grace }

    /// Runs `body` as the only holder of the key. When another task requests the key and the grace period is over, the
    /// body's task is cancelled.
    ///
    /// - Parameter isBrief: Whether the body waits for no client. Such a body is never cancelled; requesters wait for
    ///   its end.
    /// - Throws: The errors of the body; `Preempted` instead when another task requested the key meanwhile.
    package func withKey<Value: Sendable>(
        _ key: Key, isBrief: Bool = false, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let holder = Holder()
        await take(key, holder)
        defer { release(key) }
        if isBrief { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                defer { holder.end() }
                return try await body()
            }
            group.addTask {
                guard await holder.wait() else { return nil }
                try await Task.sleep(for: self.grace)
                throw Preempted()
            }
            var value: Value?
            do {
                while let next = try await group.next() {
                    guard let next else { continue }
                    value = next
                    // The holder needs no notification any more.
                    group.cancelAll()
                }
            } catch {
                group.cancelAll()
                // Operations in progress, such as a write, finish first; then it is the next requester's turn.
                while let result = await group.nextResult() {
                    if case .success(let late?) = result { value = late }
                }
                if value == nil { throw holder.isWanted ? Preempted() : error }
            }
            guard let value else { throw Preempted() }
            return value
        }
    }

    /// Whether the key is held.
    package func isHeld(_ key: Key) -> Bool { keys.withLock { $0[key] != nil } }

    private func take(_ key: Key, _ holder: Holder) async {
        await withCheckedContinuation { continuation in
            let previous: [Holder] = keys.withLock { keys in
                guard let held = keys[key] else {
                    keys[key] = Held(holder: holder)
                    return []
                }
                keys[key]?.waiting.append((holder, continuation))
                return [held.holder] + held.waiting.map(\.holder)
            }
            if previous.isEmpty { return continuation.resume() }
            for holder in previous { holder.want() }
        }
    }

    private func release(_ key: Key) {
        let next = keys.withLock { keys -> CheckedContinuation<Void, Never>? in
            guard let first = keys[key]?.waiting.first else {
                keys[key] = nil
                return nil
            }
            keys[key]?.holder = first.holder
            keys[key]?.waiting.removeFirst()
            return first.continuation
        }
        next?.resume()
    }
}

/// The error of work whose key another task has taken over.
package struct Preempted: Error {}
