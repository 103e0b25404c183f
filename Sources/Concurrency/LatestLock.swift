import Synchronization

/// Lets the latest of several that want a key have it: whoever comes asks the holder to end, and waits until it has.
///
/// The contrary of ``KeyedLock``, for holders that wait for a client which may be gone. Methods may be called from any task.
package final class LatestLock<Key: Hashable & Sendable>: Sendable {
    /// A holder of a key, with the way to be told that somebody else wants it.
    private final class Holder: Sendable {
        private struct State {
            var isWanted = false
            var isOver = false
            var waiting: CheckedContinuation<Bool, Never>?
        }

        private let state = Mutex(State())

        /// Asks the holder to end.
        func want() { finish { $0.isWanted = true } }

        /// Nobody needs to be told any more.
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

        /// Waits until somebody else wants the key (true), or the holder has ended (false). For one waiter.
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

    /// A key that is held, with those who wait for it in the order in which they came.
    private struct Held {
        var holder: Holder
        var waiting: [(holder: Holder, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let keys = Mutex<[Key: Held]>([:])
    private let grace: Duration

    /// - Parameter grace: The time that a holder has once somebody else wants the key: one whose client is gone takes in what that
    ///   has sent.
    package init(grace: Duration) { self.grace = grace }

    /// Runs `body` as the only one with the key, until somebody else wants it, and a grace is over: then its task is cancelled.
    ///
    /// - Parameter isBrief: Whether the body waits for no client: then it comes to its end, and whoever wants the key waits.
    /// - Throws: What the body throws; `Preempted` in its place when somebody else wanted the key meanwhile.
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
                    // Nobody has to be told any more.
                    group.cancelAll()
                }
            } catch {
                group.cancelAll()
                // What is going on, such as a write, ends first: then it is the next one's turn.
                while let result = await group.nextResult() {
                    if case .success(let late?) = result { value = late }
                }
                if value == nil { throw holder.isWanted ? Preempted() : error }
            }
            guard let value else { throw Preempted() }
            return value
        }
    }

    /// Whether somebody has the key.
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

/// The error of work whose key somebody else has taken over.
package struct Preempted: Error {}
