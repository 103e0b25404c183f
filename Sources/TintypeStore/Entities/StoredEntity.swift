import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entity as the service knows it, with the change numbers up to which its parts are known.
///
/// An answer may arrive after a later one. It counts only if its number is not less than the stored one.
struct StoredEntity<Value: Codable & Sendable> {
    var value: Value
    /// The number up to which the record is known.
    var number: Int64
    /// The number up to which numbers of likes and comments, and the person's own like, are known.
    var countsNumber: Int64

    init(_ value: Value, number: Int64, countsNumber: Int64? = nil) {
        (self.value, self.number, self.countsNumber) = (value, number, countsNumber ?? number)
    }

    /// Two numbers of eight bytes each, and the entity as JSON.
    init(bytes: [UInt8]) throws {
        guard bytes.count > 16 else { throw RecordStoreError.damaged("an entity has no content") }
        number = StoredNumber.read(bytes[0..<8])
        countsNumber = StoredNumber.read(bytes[8..<16])
        value = try JSONDecoder().decode(Value.self, from: Data(bytes[16...]))
    }

    func bytes() throws -> [UInt8] {
        StoredNumber.bytes(number) + StoredNumber.bytes(countsNumber) + [UInt8](try JSONEncoder().encode(value))
    }
}

/// A change number of a stored entity: eight bytes, the most significant first.
private enum StoredNumber {
    static func read(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    static func bytes(_ number: Int64) -> [UInt8] {
        let bits = UInt64(bitPattern: number)
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    }
}

extension AccountRecords {
    /// Returns an entity as the service knows it; nil if the device does not have it, or cannot read it any longer.
    func entity<Value: Codable & Sendable>(
        _ subject: Subject, as type: Value.Type = Value.self
    ) throws -> StoredEntity<Value>? {
        try value(Table.entity, subject.key).flatMap { try? StoredEntity(bytes: $0) }
    }
}

extension AccountChanges {
    func setEntity(_ entity: StoredEntity<some Codable & Sendable>?, _ subject: Subject) throws {
        try set(entity?.bytes(), AccountRecords.Table.entity, subject.key)
        touch(subject)
    }

    /// Stores an entity unless a later state of it is known.
    ///
    /// - Returns: Whether it was stored.
    @discardableResult
    func merge(_ value: some Entity, _ subject: Subject, at number: Int64) throws -> Bool {
        if let known = try records.number(of: subject), known > number { return false }
        try setEntity(StoredEntity(value, number: number), subject)
        return true
    }
}

extension AccountRecords {
    /// Returns the number up to which an entity is known; nil for one that the device does not have.
    func number(of subject: Subject) throws -> Int64? {
        guard let bytes = try value(Table.entity, subject.key), bytes.count > 16 else { return nil }
        return StoredNumber.read(bytes[0..<8])
    }
}
