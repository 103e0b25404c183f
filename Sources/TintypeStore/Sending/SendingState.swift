import Synchronization

/// What is known about the service and the sending of writes only while it is under way.
final class SendingState: Sendable {
    /// The bytes of a write that have been sent.
    struct Progress: Hashable, Sendable {
        var sentCount: Int64
        var count: Int64
    }

    private struct State {
        /// The writes that rest after an attempt.
        var resting: Set<Int64> = []
        var progress: [Int64: Progress] = [:]
        var connection = LocalStore.Connection.connecting
    }

    private let state = Mutex(State())

    /// The numbers of the writes that rest after an attempt.
    var resting: Set<Int64> { state.withLock(\.resting) }

    func rest(_ number: Int64) { _ = state.withLock { $0.resting.insert(number) } }

    func endRest(_ number: Int64) { _ = state.withLock { $0.resting.remove(number) } }

    /// The connection to the service.
    var connection: LocalStore.Connection { state.withLock(\.connection) }

    func setConnection(_ connection: LocalStore.Connection) { state.withLock { $0.connection = connection } }

    /// The progress of a write that is being sent; nil for others.
    func progress(of number: Int64) -> Progress? { state.withLock { $0.progress[number] } }

    /// Notes the progress of a write.
    ///
    /// - Returns: Whether it has changed by a hundredth or more.
    func setProgress(_ progress: Progress?, of number: Int64) -> Bool {
        state.withLock { state in
            let last = state.progress[number]
            if let progress, let last, progress.sentCount != progress.count,
                abs(progress.sentCount - last.sentCount) * 100 < progress.count
            {
                return false
            }
            state.progress[number] = progress
            return last != progress
        }
    }
}
