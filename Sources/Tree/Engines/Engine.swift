/// An ordered map from bytes to bytes with transactions: all that the tree asks of a database.
///
/// Keys are ordered by their unsigned bytes. Calls may come from any task at once; an engine never blocks the thread of
/// its caller for longer than memory takes. Every failure is a ``TreeError``.
public protocol Engine: Sendable {
    /// Reads one consistent state, without waiting for writers: one that there was when the body begins.
    ///
    /// - Throws: What the body throws, or the engine's own failure (`cancelled` when the task was cancelled).
    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result

    /// Changes the map, whole or not at all, and durably when it returns; one transaction at a time.
    ///
    /// When the body throws, nothing is written. Cancelling the task does not interrupt it.
    ///
    /// - Parameter committed: Is given the result once it is durable and before the next transaction begins, so that
    ///   what it does is done in the order of the transactions; it must be quick.
    /// - Throws: What the body throws, or the engine's own failure.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result

    /// The fault of the disk that is there although writes succeed, until ``probe()`` has succeeded; nil when none is
    /// known.
    var fault: TreeError? { get }

    /// The length of the log of what was committed last, which a start after a crash has to read, in bytes.
    var logBytes: Int { get }

    /// Tries a write that changes nothing, durably, and makes good what earlier faults of the disk have left.
    ///
    /// - Throws: What is in the way of a write.
    func probe() async throws(TreeError)

    /// Looks for damage in how the engine keeps the rows, as far as that takes no longer than a few seconds.
    ///
    /// - Throws: ``TreeError`` with code `corrupt`, or what kept it from looking.
    func checkStructure() async throws(TreeError)

    /// Ends all work; later calls throw `closed`.
    func close() async
}

extension Engine {
    /// The default, for engines without a disk.
    public var fault: TreeError? { nil }

    /// The default, for engines without a disk.
    public func probe() async throws(TreeError) {}

    /// The default, for engines without a disk.
    public func checkStructure() async throws(TreeError) {}

    /// Reads one consistent state, of whatever size.
    ///
    /// - Throws: What the body throws, or the engine's own failure.
    public func read<Result: Sendable>(
        _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await read(.unknown, body)
    }

    /// Changes the map, whole or not at all, and durably when it returns; one transaction at a time.
    ///
    /// - Throws: What the body throws, or the engine's own failure.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await write(body, committed: { _ in })
    }
}

/// How much a read takes, as far as its caller knows: one that is known to be large is not tried among the small ones.
public enum ReadSize: Sendable {
    case unknown, large
}

/// One state of the map; valid only within the call that it was given to.
public protocol EngineSnapshot {
    /// The value of a key.
    func value(for key: [UInt8]) throws(TreeError) -> [UInt8]?

    /// Visits the entries of a range in key order, or in reverse, until the visitor returns false.
    ///
    /// It costs one search and what is visited. The visitor must not use the snapshot; its spans end with its call.
    func scan(
        _ range: ByteRange, reverse: Bool,
        _ visit: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError)

    /// The first key of a range, or the last one; costs one search, however large the entry's value is.
    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]?
}

/// A state of the map that is being changed; it reads what it has written.
public protocol EngineTransaction: EngineSnapshot {
    /// Sets the value of a key.
    func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(TreeError)

    /// Removes all entries of a range.
    func remove(_ range: ByteRange) throws(TreeError)
}

/// A range of keys, from one inclusive up to another exclusive.
public struct ByteRange: Hashable, Sendable {
    /// The first key that may be in it.
    public let lower: [UInt8]
    /// The first key after it.
    public let upper: [UInt8]

    /// Makes a range; it is empty if the ends are the wrong way round.
    public init(from lower: [UInt8], upTo upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a key is in it.
    func contains(_ key: [UInt8]) -> Bool { !key.span.precedes(lower.span) && key.span.precedes(upper.span) }

    /// All keys that the tree uses.
    static let all = ByteRange(from: [], upTo: [0xFF])

    /// The key alone.
    static func only(_ key: [UInt8]) -> ByteRange { ByteRange(from: key, upTo: key + [0]) }

    /// A row and all rows below it.
    static func subtree(_ key: [UInt8]) -> ByteRange { ByteRange(from: key, upTo: key + [PathEncoding.subtreeEnd]) }
}

extension EngineTransaction {
    /// Sets the value of a key.
    func put(_ value: [UInt8], for key: [UInt8]) throws(TreeError) { try put(value.span, for: key.span) }
}

extension EngineSnapshot {
    /// The first key of a range, or the last one, for engines that read no value until it is looked at.
    func firstKey(in range: ByteRange, reverse: Bool) throws(TreeError) -> [UInt8]? {
        var first: [UInt8]?
        try scan(range, reverse: reverse) { key, _ throws(TreeError) in
            first = key.copied
            return false
        }
        return first
    }

    /// Has a row visited; damage that the visitor meets in it is told with the row.
    func visitRow(
        _ key: Span<UInt8>, _ value: Span<UInt8>, _ visit: (Span<UInt8>, Span<UInt8>) throws(TreeError) -> Bool
    ) throws(TreeError) -> Bool {
        do {
            return try visit(key, value)
        } catch {
            throw error.met(inRow: key, value)
        }
    }

    /// Whether a range has no entry.
    func isEmpty(_ range: ByteRange) throws(TreeError) -> Bool {
        try firstKey(in: range, reverse: false) == nil
    }
}
