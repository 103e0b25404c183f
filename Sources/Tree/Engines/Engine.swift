/// An ordered map from bytes to bytes with transactions: the interface between the tree and a database.
///
/// Keys are ordered by their unsigned bytes. Methods may be called concurrently from any task. An engine never blocks
/// the caller's thread for longer than an access to memory takes. All errors are ``TreeError``s.
public protocol Engine: Sendable {
    /// Reads one consistent state that exists when the body begins, without waiting for writers.
    ///
    /// - Throws: The body's error, or the engine's own failure (`cancelled` if the task was cancelled).
    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result

    /// Changes the map as a whole or not at all; the change is durable when this returns. Transactions run one at a
    /// time.
    ///
    /// If the body throws, nothing is written. Cancelling the task does not interrupt the transaction.
    ///
    /// - Parameter committed: Receives the result after it is durable and before the next transaction begins, so that
    ///   calls are in the order of the transactions. It must be fast.
    /// - Throws: The body's error, or the engine's own failure.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result

    /// A fault of the disk that exists although writes succeed, until ``probe()`` has succeeded; nil if none is known.
    var fault: TreeError? { get }

    /// The length of the log of recent commits, which is read at a start after a crash, in bytes.
    var logBytes: Int { get }

    /// Tries a durable write that changes nothing, and repairs the effects of earlier disk faults.
    ///
    /// - Throws: The error that prevents writing.
    func probe() async throws(TreeError)

    /// Checks the engine's storage for damage, if that takes no longer than a few seconds.
    ///
    /// - Throws: ``TreeError`` with code `corrupt`, or the error that prevented the check.
    func checkStructure() async throws(TreeError)

    /// Finishes all work and closes the engine; later calls throw `closed`.
    func close() async
}

extension Engine {
    /// The default for engines without a disk.
    public var fault: TreeError? { nil }

    /// Does nothing; the default for engines without a disk.
    public func probe() async throws(TreeError) {}

    /// Does nothing; the default for engines without a disk.
    public func checkStructure() async throws(TreeError) {}

    /// Reads one consistent state, of unknown size.
    ///
    /// - Throws: The body's error, or the engine's own failure.
    public func read<Result: Sendable>(
        _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await read(.unknown, body)
    }

    /// Changes the map as a whole or not at all; the change is durable when this returns. Transactions run one at a
    /// time.
    ///
    /// - Throws: The body's error, or the engine's own failure.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await write(body, committed: { _ in })
    }
}

/// The size of a read as far as the caller knows it; a read known to be large is not tried in the lane of small reads.
public enum ReadSize: Sendable {
    case unknown, large
}

/// One state of the map; valid only within the call that it was passed to.
public protocol EngineSnapshot {
    /// Returns the value of a key; nil if the key does not exist.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]?

    /// Visits the entries of a range in key order, or in reverse, until the visitor returns false.
    ///
    /// The cost is one search plus the visited entries. The visitor must not use the snapshot; its spans are valid only
    /// during the call.
    func scan(
        _ range: ByteRange, reverse: Bool,
        _ visit: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError)

    /// Returns the first key of a range, or the last in reverse; nil if the range is empty. It costs one search,
    /// whatever the size of the value.
    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]?
}

/// A writable state of the map; reads include earlier writes of the same transaction.
public protocol EngineTransaction: EngineSnapshot {
    /// Sets the value of a key.
    func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError)

    /// Removes all entries of a range.
    func remove(_ range: ByteRange) throws(TreeError)
}

/// A range of keys from an inclusive lower to an exclusive upper bound.
public struct ByteRange: Hashable, Sendable {
    /// The first key that may be in the range.
    public let lower: [UInt8]
    /// The first key after the range.
    public let upper: [UInt8]

    /// Creates a range; it is empty if the upper bound is not after the lower one.
    public init(from lower: [UInt8], upTo upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a key is in the range.
    func contains(_ key: [UInt8]) -> Bool { !key.span.precedes(lower.span) && key.span.precedes(upper.span) }

    /// The range of all keys that the tree uses.
    static let all = ByteRange(from: [], upTo: [0xFF])

    /// Returns the range of a single key.
    static func only(_ key: [UInt8]) -> ByteRange { ByteRange(from: key, upTo: key + [0]) }

    /// Returns the range of a row and all rows below it.
    static func subtree(_ key: [UInt8]) -> ByteRange { ByteRange(from: key, upTo: key + [PathEncoding.subtreeEnd]) }
}

extension EngineTransaction {
    /// Sets the value of a key.
    func put(_ value: [UInt8], for key: [UInt8]) throws(TreeError) { try put(value.span, for: key.span) }
}

extension EngineSnapshot {
    /// Scans for the first key; the default for engines that load a value only when it is accessed.
    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        var first: [UInt8]?
        try scan(range, reverse: reverse) { key, _ throws(TreeError) in
            first = key.copied
            return false
        }
        return first
    }

    /// Calls the visitor for a row; an error for damage that it finds includes the row.
    func visitRow(
        _ key: Span<UInt8>, _ value: Span<UInt8>, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) -> Bool {
        do {
            return try visit(key, value)
        } catch {
            throw error.met(inRow: key, value)
        }
    }

    /// Whether a range has no entries.
    func isEmpty(_ range: ByteRange) throws(TreeError) -> Bool {
        try firstKey(in: range, reverse: false) == nil
    }
}
