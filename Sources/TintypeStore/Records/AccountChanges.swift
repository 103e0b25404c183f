import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A transaction on the records of one person. It collects the subjects that it changes.
final class AccountChanges {
    private let writer: any RecordWriter
    /// The records, with the changes so far.
    let records: AccountRecords
    /// The subjects that were changed.
    private(set) var subjects: Set<Subject> = []
    /// The names of the photos' files that are not needed once the transaction is stored.
    private(set) var unneededFiles: [String] = []

    init(_ account: Person.ID, in writer: any RecordWriter) {
        self.writer = writer
        records = AccountRecords(account, in: writer)
    }

    func set(_ value: [UInt8]?, _ table: String, _ key: String) throws {
        try writer.set(value, for: RecordKey(table, records.prefix + key))
    }

    func set(_ text: String?, _ table: String, _ key: String) throws {
        try set(text.map { Array($0.utf8) }, table, key)
    }

    func set(_ text: String?, _ fact: Fact) throws {
        guard fact.isOfDevice else { return try set(text, AccountRecords.Table.fact, fact.key) }
        try writer.set(text.map { Array($0.utf8) }, for: RecordKey(AccountRecords.Table.device, fact.key))
    }

    func set(_ number: Int64?, _ fact: Fact) throws { try set(number.map { String($0) }, fact) }

    /// Notes that a post of a hand-over was adopted. The note stays: another process may still be about to adopt it.
    func setAdopted(_ id: UUID) throws {
        try writer.set([], for: RecordKey(AccountRecords.Table.adopted, id.uuidString))
    }

    /// Removes all records of the person.
    func removeAll() throws {
        for record in try records.records(AccountRecords.Table.write, prefix: "") {
            guard let number = AccountRecords.number(record.key[...]) else { continue }
            if let queued = try records.write(number) {
                try remove(queued)
            } else {
                try set(nil as String?, .owner(of: number))
            }
        }
        for table in AccountRecords.Table.all {
            for record in try records.records(table, prefix: "") { try set(nil as String?, table, record.key) }
        }
        for subject in [Subject.account, .outbox] { touch(subject) }
    }

    /// Notes that views of a subject must be read again.
    func touch(_ subject: Subject) { subjects.insert(subject) }

    /// Notes that files of photos are not needed once the transaction is stored.
    func drop(files names: [String]) { unneededFiles += names }

    /// Records that the service has given an id to what the device has made.
    func setReal<Entity>(_ real: EntityID<Entity>, for local: EntityID<Entity>) throws {
        try set(real.rawValue, AccountRecords.Table.alias, Subject.escaped(local.rawValue))
        try set(local.rawValue, AccountRecords.Table.origin, Subject.escaped(real.rawValue))
    }
}
