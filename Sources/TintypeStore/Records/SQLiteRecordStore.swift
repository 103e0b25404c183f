/// Records in one file of SQLite, with a write-ahead log beside it. Reads do not wait for writes.
public final class SQLiteRecordStore: RecordStore {
    private let reader: Lane
    private let writer: Lane

    /// Opens a file, which is created if it does not exist. Its folder must exist.
    ///
    /// - Throws: `RecordStoreError`. A damaged file stays as it is.
    public init(path: String) async throws {
        writer = try await Lane(path: path, label: "tintype.store.write")
        reader = try await Lane(path: path, label: "tintype.store.read")
    }

    /// Reads from one state of the store.
    public func read<Result: Sendable>(
        _ body: @Sendable (any RecordReader) throws -> Result
    ) async throws -> Result {
        try await reader.run { connection in try connection.snapshot { try body(connection) } }
    }

    /// Changes the store in one transaction.
    public func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
    ) async throws -> Result {
        try await writer.run { connection in
            try connection.setDurability(durability)
            return try connection.transact { try body(connection) }
        }
    }

    /// Closes the file; all later calls throw.
    public func close() async {
        await reader.close()
        await writer.close()
    }

    /// A connection on a thread of its own, because it waits for the disk.
    private actor Lane {
        private let executor: QueueExecutor
        private var connection: SQLiteConnection?

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(path: String, label: String) async throws {
            executor = QueueExecutor(label)
            connection = try SQLiteConnection(path: path)
        }

        func run<Result: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> Result) throws -> Result {
            guard let connection else { throw RecordStoreError.closed }
            return try body(connection)
        }

        func close() { connection = nil }
    }
}
