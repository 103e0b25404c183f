import Synchronization

/// Limits the size of the change log in the background. It drops the oldest changes in parts, so that no writer waits
/// for more than one part. The limits on the number and age of changes are applied by the log itself.
///
/// Each part is measured once, when enough bytes have been added to the log. A part does not change until it is
/// dropped.
final class ChangeLogTrimmer: BackgroundWork {
    private static let maxPartBytes = 1 << 20
    private static let retryInterval = Duration.seconds(5)

    private let engine: any Engine
    private let changeLog: ChangeLog
    private let partBytes: Int
    /// The parts that have been measured, oldest first.
    private let parts = Mutex<[ChangeLog.Part]>([])
    /// The number of bytes that have been logged since the last part was measured.
    private let unmeasuredBytes = Mutex(0)
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = BackgroundTask(name: "Trimming of the change log", priority: .utility)

    init(engine: any Engine, changeLog: ChangeLog) {
        self.engine = engine
        self.changeLog = changeLog
        partBytes = min(Self.maxPartBytes, max(1, changeLog.retention.byteCount / 16))
    }

    /// Adds the size of committed changes, and wakes the trimmer when a part is full.
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

    /// Measures the next part, and drops the oldest part if the log is too large.
    ///
    /// - Returns: Whether there may be more work.
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
            // The part that is not measured yet is counted as a whole part.
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
