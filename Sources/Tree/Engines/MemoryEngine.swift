import Synchronization

/// An engine that keeps everything in memory until the process ends, for tests and temporary trees.
///
/// Readers use the last committed state and never wait. Writers work on a copy, one after another.
public final class MemoryEngine: Engine {
    /// The last committed state; nil once the engine is closed.
    private let state = Mutex<ChunkedMap?>(ChunkedMap())
    /// The lock of the current writer.
    private let writing = Mutex(())

    /// The log length: always 0, because there is no log.
    public var logBytes: Int { 0 }

    /// Creates an empty engine.
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

    /// Closes the engine and discards its data.
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

    /// A writable state, of an engine or of a few separate rows.
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
