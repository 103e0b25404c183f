/// Records in memory, for previews and tests. They are lost with the store.
public actor MemoryRecordStore: RecordStore {
    private var content: Content? = Content()

    /// Creates an empty store.
    public init() {}

    /// Reads from one state of the store.
    public func read<Result: Sendable>(
        _ body: @Sendable (any RecordReader) throws -> Result
    ) async throws -> Result {
        guard let content else { throw RecordStoreError.closed }
        return try body(content)
    }

    /// Changes the store in one transaction.
    public func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
    ) async throws -> Result {
        guard let content else { throw RecordStoreError.closed }
        let changed = Content(content)
        let result = try body(changed)
        self.content = changed
        return result
    }

    /// Forgets the records; all later calls throw.
    public func close() async { content = nil }

    private final class Content: RecordWriter {
        private struct Table {
            var values: [String: [UInt8]] = [:]
            /// The keys in their order.
            var keys: [String] = []
        }

        private var tables: [String: Table]

        init() { tables = [:] }

        init(_ other: Content) { tables = other.tables }

        func value(_ key: RecordKey) throws -> [UInt8]? { tables[key.table]?.values[key.key] }

        func records(
            _ table: String, in range: RecordRange, isDescending: Bool, limit: Int
        ) throws -> [Record] {
            guard let table = tables[table] else { return [] }
            let (start, end) = (Self.index(of: range.lower, in: table.keys), Self.index(of: range.upper, in: table.keys))
            guard start < end else { return [] }
            let keys = table.keys[start..<end]
            let chosen = isDescending ? Array(keys.reversed().prefix(limit)) : Array(keys.prefix(limit))
            return chosen.compactMap { key in table.values[key].map { Record(key: key, value: $0) } }
        }

        func count(_ table: String, in range: RecordRange) throws -> Int {
            guard let keys = tables[table]?.keys else { return 0 }
            return max(0, Self.index(of: range.upper, in: keys) - Self.index(of: range.lower, in: keys))
        }

        func set(_ value: [UInt8]?, for key: RecordKey) throws {
            var table = tables.removeValue(forKey: key.table) ?? Table()
            let isThere = table.values.updateValue(value ?? [], forKey: key.key) != nil
            let index = Self.index(of: key.key, in: table.keys)
            if value == nil {
                table.values[key.key] = nil
                if isThere { table.keys.remove(at: index) }
            } else if !isThere {
                table.keys.insert(key.key, at: index)
            }
            tables[key.table] = table
        }

        /// Returns the index of the first key that does not precede a key.
        private static func index(of key: String, in keys: [String]) -> Int {
            var (low, high) = (0, keys.count)
            while low < high {
                let middle = (low + high) / 2
                if keys[middle].utf8.lexicographicallyPrecedes(key.utf8) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
