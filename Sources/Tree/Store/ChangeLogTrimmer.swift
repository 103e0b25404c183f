import Synchronization

/// Keeps the change log as small as its retention says, in the background: drops the oldest changes, a part at a time, so that
/// no writer waits for more than one. The log sees to their number and age by itself.
///
/// Each part is measured once, when there is enough for it; nothing in it changes until it goes.
final class ChangeLogTrimmer: BackgroundWork {
    private static let maxPartBytes = 1 << 20
    private static let retryInterval = Duration.seconds(5)

    private let engine: any Engine
    private let changeLog: ChangeLog
    private let partBytes: Int
    /// The parts that have been measured, oldest first.
    private let parts = Mutex<[ChangeLog.Part]>([])
    /// The number of bytes that have come since there was enough for a part.
    private let unmeasuredBytes = Mutex(0)
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = BackgroundTask(name: "Trimming of the change log", priority: .utility)

    init(engine: any Engine, changeLog: ChangeLog) {
        self.engine = engine
        self.changeLog = changeLog
        partBytes = min(Self.maxPartBytes, max(1, changeLog.retention.byteCount / 16))
    }

    /// Notes changes that have been committed.
    func note(_ changes: [EncodedChange]) {
        let byteCount = changes.reduce(0) { $0 + $1.byteCount }
        let isEnough = unmeasuredBytes.withLock { sum in
            sum += byteCount
            guard sum >= partBytes else { return false }
            sum = 0
            return true
        }
        if isEnough { wakeUps.continuation.yield() }
    }

    @concurrent
    func run() async {
        while !Task.isCancelled {
            do {
                while !Task.isCancelled, try await pass() {}
                for await _ in wakeUps.stream { break }
            } catch {
                guard error.code != .closed else { return }
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }

    /// Measures the next part, and drops the oldest where there is too much.
    ///
    /// - Returns: Whether there may be more to do.
    func pass() async throws(TreeError) -> Bool {
        let measured = parts.withLock { $0.last?.end } ?? .start
        let (oldest, last, part) = try await engine.read(.large) { [changeLog, partBytes] snapshot throws(TreeError) in
            let oldest = try changeLog.oldestToken(in: snapshot)
            let part = try changeLog.part(after: max(measured, oldest), of: partBytes, in: snapshot)
            return (oldest, try changeLog.lastToken(in: snapshot), part)
        }
        let maxBytes = changeLog.retention.byteCount
        let excess = parts.withLock { parts -> ChangeLog.Part? in
            parts.removeAll { $0.end <= oldest }
            if let part { parts.append(part) }
            // What is not measured yet is less than a part.
            let byteCount = parts.reduce(partBytes) { $0 + $1.byteCount }
            guard byteCount > maxBytes, let first = parts.first, first.end < last else { return nil }
            return first
        }
        guard let excess else { return part != nil }
        try await engine.write { [changeLog] transaction throws(TreeError) in
            try changeLog.drop(through: excess.end, in: transaction)
        }
        return true
    }
}
