import Synchronization

/// An engine that keeps everything in memory and forgets it with the process: for tests and throw-away trees.
///
/// Readers take the last committed state and never wait; writers work on a copy, one after another.
public final class MemoryEngine: Engine {
    /// The last committed state; nil once the engine is closed.
    private let state = Mutex<ChunkedMap?>(ChunkedMap())
    /// Held by the one writer.
    private let writing = Mutex(())

    /// Nothing is logged.
    public var logBytes: Int { 0 }

    /// Makes an empty engine.
    public init() {}

    private func lastCommitted() throws(TreeError) -> ChunkedMap {
        guard let map = state.withLock({ $0 }) else { throw TreeError.closed }
        return map
    }

    /// Reads the last committed state.
    public func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        guard !Task.isCancelled else { throw TreeError(.cancelled, "the reading task was cancelled") }
        return try body(Snapshot(map: try lastCommitted()))
    }

    /// Changes a copy of the last committed state and commits it if the body succeeds.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try writing.withLock { _ throws(TreeError) in
            let transaction = Transaction(map: try lastCommitted())
            let result = try body(transaction)
            state.withLock { if $0 != nil { $0 = transaction.map } }
            committed(result)
            return result
        }
    }

    /// Forgets everything.
    public func close() async {
        writing.withLock { _ in state.withLock { $0 = nil } }
    }

    private struct Snapshot: EngineSnapshot {
        let map: ChunkedMap

        func value(for key: [UInt8]) -> [UInt8]? { map.value(for: key) }

        func scan(
            _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
        ) throws(TreeError) {
            try map.scan(range, reverse: reverse) { entry throws(TreeError) in
                try visitRow(entry.key.span, entry.value.span, visit)
            }
        }
    }

    /// A state that is being changed: of an engine, or of a few rows by themselves.
    final class Transaction: EngineTransaction {
        fileprivate var map: ChunkedMap

        init(map: ChunkedMap = ChunkedMap()) { self.map = map }

        func value(for key: [UInt8]) -> [UInt8]? { map.value(for: key) }

        func scan(
            _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
        ) throws(TreeError) {
            try Snapshot(map: map).scan(range, reverse: reverse, visit)
        }

        func put(_ value: Span<UInt8>, for key: Span<UInt8>) { map.set(value.copied, for: key.copied) }

        func remove(_ range: ByteRange) { map.remove(range) }
    }
}
