#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A place for records on the device, which survives the app. `SQLiteRecordStore` is the one for apps.
///
/// Errors are `RecordStoreError`, and those of the bodies.
public protocol RecordStore: Sendable {
    /// Reads from one state of the store.
    ///
    /// - Parameter body: Reads; it is called once, on a thread of the store.
    func read<Result: Sendable>(_ body: @Sendable (any RecordReader) throws -> Result) async throws -> Result

    /// Changes the store in one transaction: all of it is stored, or nothing if the body throws. One transaction runs at
    /// a time.
    ///
    /// - Parameters:
    ///   - durability: Whether the transaction survives a power cut once this returns.
    ///   - body: Reads and writes; it is called once, on a thread of the store.
    func write<Result: Sendable>(
        _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
    ) async throws -> Result

    /// Ends the use of the store; all later calls throw.
    func close() async
}

/// The promise of a transaction.
public enum Durability: Hashable, Sendable {
    /// The transaction survives a power cut.
    case powerCut
    /// The transaction survives the end of the app; after a power cut, the last ones may be missing, as a whole and in
    /// the order in which they were made.
    case appEnd
}

/// Access to the records of one state.
public protocol RecordReader {
    /// Returns the value of a record; nil for none.
    func value(_ key: RecordKey) throws -> [UInt8]?

    /// Returns records of a table in the order of their keys.
    ///
    /// - Parameters:
    ///   - table: The name of the table.
    ///   - range: The keys.
    ///   - isDescending: Whether the greatest key comes first.
    ///   - limit: The largest number of records.
    func records(
        _ table: String, in range: RecordRange, isDescending: Bool, limit: Int
    ) throws -> [Record]

    /// Returns the number of the records of a table whose keys are in a range.
    func count(_ table: String, in range: RecordRange) throws -> Int
}

/// Access to the records in a transaction.
public protocol RecordWriter: RecordReader {
    /// Stores a value, or removes the record with nil.
    func set(_ value: [UInt8]?, for key: RecordKey) throws
}

/// The reason why the store of a device cannot be used.
public enum RecordStoreError: Error, Hashable, Sendable {
    /// The disk of the device is full. What is stored already is safe.
    case diskFull
    /// The file is damaged, or not a store; the text is for developers.
    case damaged(String)
    /// The file was written by a later version.
    case laterVersion(Int)
    /// The store is closed.
    case closed
    /// The file cannot be opened, read or written; the text is for developers.
    case failed(String)
}

extension RecordStoreError: CustomStringConvertible, LocalizedError {
    /// The reason in one line.
    public var description: String {
        switch self {
        case .diskFull: "the disk of the device is full"
        case .damaged(let detail): "the store of the device is damaged: \(detail)"
        case .laterVersion(let version): "a later version of the app has written the store of the device (\(version))"
        case .closed: "the store of the device is closed"
        case .failed(let detail): "the store of the device cannot be used: \(detail)"
        }
    }

    /// The reason, for people.
    public var errorDescription: String? { description }
}

extension RecordReader {
    /// Returns the records of a table whose keys begin with a prefix, in the order of their keys.
    func records(
        _ table: String, prefix: String, isDescending: Bool = false, limit: Int = .max
    ) throws -> [Record] {
        try records(table, in: RecordRange(prefix: prefix), isDescending: isDescending, limit: limit)
    }
}
