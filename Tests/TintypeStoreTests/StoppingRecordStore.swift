import TintypeStore

/// A place for records whose app ends before or after the next durable transaction.
struct StoppingRecordStore: RecordStore {
    enum Moment: CaseIterable {
        case before
        case after
    }

    struct Stop: Error {}

    let store: any RecordStore
    let moment: Moment

    func read<Result: Sendable>(_ body: @Sendable (any RecordReader) throws -> Result) async throws -> Result {
        try await store.read(body)
    }

    func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
    ) async throws -> Result {
        guard durability == .powerCut else { return try await store.write(durability, body) }
        if moment == .before { throw Stop() }
        _ = try await store.write(durability, body)
        throw Stop()
    }

    func close() async { await store.close() }
}
