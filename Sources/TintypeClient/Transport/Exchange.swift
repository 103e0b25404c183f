internal import Foundation

/// One request under way and its answer, between the threads of a session and the task that waits.
///
/// One task at a time may wait. The first end counts: of the answer, by an error, by the idle timeout, or by a cancellation.
final class Exchange: Sendable {
    /// The status and the header fields of an answer.
    struct Head: Sendable {
        var status: Int
        var headers: HeaderFields
    }

    private struct State {
        var cancel: (@Sendable () -> Void)?
        var head: Head?
        var unread = Data()
        var end: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        var watch: Task<Void, Never>?
        var lastActivity = ContinuousClock.now
        var changeCount = 0

        mutating func takeUnread() -> Data {
            defer { unread = Data() }
            return unread
        }
    }

    private let state = Guarded(State())
    private let unreadLimit: Int
    private let overflow: TransportError
    private let bodyCount: Int64
    private let progress: (@Sendable (Int64) -> Void)?

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - unreadLimit: The largest number of bytes that wait to be taken.
    ///   - overflow: The error of an answer with more.
    init(
        unreadLimit: Int, overflow: TransportError, bodyCount: Int64 = 0, progress: (@Sendable (Int64) -> Void)? = nil
    ) {
        (self.unreadLimit, self.overflow) = (unreadLimit, overflow)
        (self.bodyCount, self.progress) = (bodyCount, progress)
    }

    /// Begins to watch the work that has been started for the exchange.
    ///
    /// - Parameters:
    ///   - idleTimeout: The longest time without a byte.
    ///   - cancel: Ends the work. It must not wait for it.
    func begin(idleTimeout: Duration, cancel: @escaping @Sendable () -> Void) {
        let watch = Task { [weak self] in
            while let deadline = self?.deadline(idleTimeout), !Task.isCancelled {
                guard ContinuousClock.now < deadline else {
                    self?.fail(TransportError(.timedOut, "no byte for \(idleTimeout)"))
                    return
                }
                try? await Task.sleep(until: deadline, clock: .continuous)
            }
        }
        let isEnded = state.withLock { state in
            (state.cancel, state.watch) = (cancel, watch)
            return state.end != nil
        }
        guard isEnded else { return }
        watch.cancel()
        cancel()
    }

    private func deadline(_ idleTimeout: Duration) -> ContinuousClock.Instant? {
        state.withLock { $0.end == nil ? $0.lastActivity.advanced(by: idleTimeout) : nil }
    }

    /// Waits for the header of the answer.
    func waitForHead() async throws -> Head {
        try await wait { state in
            if let head = state.head { return head }
            try state.end?.get()
            return nil
        }
    }

    /// Waits for more bytes and takes them; nil at the end of the answer.
    func nextBytes() async throws -> Data? {
        let bytes = try await wait { state in
            if !state.unread.isEmpty { return state.takeUnread() }
            try state.end?.get()
            return state.end == nil ? nil : Data()
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Waits for the end of the answer and takes what is unread.
    func remainingBytes() async throws -> Data {
        try await wait { state in
            try state.end?.get()
            return state.end == nil ? nil : state.takeUnread()
        }
    }

    private func wait<Value: Sendable>(_ take: @Sendable (inout State) throws -> Value?) async throws -> Value {
        try await withTaskCancellationHandler {
            while true {
                try Task.checkCancellation()
                let (value, changeCount) = try state.withLock { (try take(&$0), $0.changeCount) }
                if let value { return value }
                await withCheckedContinuation { continuation in
                    let hasChanged = state.withLock { state in
                        if state.changeCount == changeCount { state.waiter = continuation }
                        return state.changeCount != changeCount
                    }
                    if hasChanged { continuation.resume() }
                }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// Notes the header of an answer. Headers of interim answers (1xx) are ignored.
    func receive(_ head: Head) {
        guard head.status >= 200 else { return touch() }
        wake { $0.head = head }
    }

    /// Notes bytes of the answer.
    func receive(_ bytes: Data) {
        let isOverflow = state.withLock { $0.unread.count + bytes.count > unreadLimit }
        guard !isOverflow else { return fail(overflow) }
        wake { $0.unread.append(bytes) }
    }

    /// Notes the number of bytes of the body that have been sent so far.
    func sent(_ count: Int64) {
        touch()
        guard state.withLock({ $0.end == nil }) else { return }
        progress?(min(count, bodyCount))
    }

    /// Whether the exchange has ended.
    var isEnded: Bool { state.withLock { $0.end != nil } }

    /// Calls a body unless the exchange has ended, and before any cancellation of its work.
    func unlessEnded(_ body: @Sendable () -> Void) { state.withLock { if $0.end == nil { body() } } }

    /// Notes the end of the answer.
    func finish(_ error: (any Error)?) {
        wake { state in
            state.end = error.map { .failure($0) } ?? .success(())
            state.watch?.cancel()
            state.cancel = nil
        }
    }

    /// Ends the exchange with an error, and its work.
    func fail(_ error: any Error) {
        let cancel = state.withLock { state in
            guard state.end == nil else { return nil as (@Sendable () -> Void)? }
            if error is CancellationError { state.unread = Data() }
            return state.cancel
        }
        finish(error)
        cancel?()
    }

    /// Notes that there was activity.
    func touch() { state.withLock { $0.lastActivity = .now } }

    private func wake(_ change: @Sendable (inout State) -> Void) {
        let waiter = state.withLock { state in
            guard state.end == nil else { return nil as CheckedContinuation<Void, Never>? }
            state.lastActivity = .now
            state.changeCount += 1
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
