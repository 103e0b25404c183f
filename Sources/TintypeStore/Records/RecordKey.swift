/// The key of a record: the name of its table, and a text by whose UTF-8 bytes the records of a table are ordered.
public struct RecordKey: Hashable, Sendable {
    /// The name of the table.
    public var table: String
    /// The key in the table.
    public var key: String

    /// Creates a key.
    public init(_ table: String, _ key: String) { (self.table, self.key) = (table, key) }
}

/// A record with its key.
public struct Record: Hashable, Sendable {
    /// The key in its table.
    public var key: String
    /// The value.
    public var value: [UInt8]

    /// Creates a record.
    public init(key: String, value: [UInt8]) { (self.key, self.value) = (key, value) }
}

/// A range of the keys of a table, by their UTF-8 bytes.
public struct RecordRange: Hashable, Sendable {
    /// The least key of the range.
    public var lower: String
    /// The least key after the range.
    public var upper: String

    /// Creates a range; it is empty unless `lower` precedes `upper`.
    public init(from lower: String, to upper: String) { (self.lower, self.upper) = (lower, upper) }

    /// Creates the range of the ASCII keys that begin with a prefix.
    public init(prefix: String) { self.init(from: prefix, to: prefix + "\u{7F}") }
}
