import TestSupport

@testable import Tree

/// An engine in memory that records the number of data bytes that each transaction has put.
final class MeteredEngine: Engine {
    private let base = MemoryEngine()
    private let counts = Shared<[Int]>([])

    /// The number of bytes of values that were put among the data, or staged, by each transaction so far.
    var dataBytes: [Int] { counts.value }

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(size, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try await base.write(
            { [counts] transaction throws(TreeError) in
                let metered = MeteredTransaction(transaction)
                let result = try body(metered)
                let count = metered.dataBytes
                counts.change { $0.append(count) }
                return result
            }, committed: committed)
    }

    var logBytes: Int { 0 }
    func close() async { await base.close() }
}

private final class MeteredTransaction: EngineTransaction {
    private let base: any EngineTransaction
    private(set) var dataBytes = 0

    init(_ base: any EngineTransaction) { self.base = base }

    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]? { try base.value(for: key) }

    func scan(
        _ range: ByteRange, reverse: Bool, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) {
        try base.scan(range, reverse: reverse, visit)
    }

    func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError) {
        if [StoreFormat.mainKeyspace, StoreFormat.stagingKeyspace].contains(key[0]) { dataBytes += value.count }
        try base.put(value, for: key)
    }

    func remove(_ range: ByteRange) throws(TreeError) { try base.remove(range) }
}
