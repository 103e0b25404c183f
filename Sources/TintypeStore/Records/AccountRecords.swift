import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
/// The records of one person on this device: their keys begin with the person's id.
struct AccountRecords {
    let reader: any RecordReader
    let account: Person.ID
    let prefix: String

    init(_ account: Person.ID, in reader: any RecordReader) {
        (self.reader, self.account) = (reader, account)
        prefix = Subject.escaped(account.rawValue) + "/"
    }

    /// The names of the tables.
    enum Table {
        /// Entities as the service knows them, by their subjects.
        static let entity = "entity"
        /// Ids of entities by the name of a list and their place in it.
        static let list = "list"
        /// Places by the name of a list and the id of an entity.
        static let place = "place"
        /// Writes by their numbers.
        static let write = "write"
        /// The numbers of writes that must be sent, by lane.
        static let queue = "queue"
        /// The numbers of writes by subject.
        static let concern = "concern"
        /// Real ids by the ids that the device has made.
        static let alias = "alias"
        /// Ids that the device has made by the real ones.
        static let origin = "origin"
        /// Single values.
        static let fact = "fact"

        /// All of them.
        static let all = [entity, list, place, write, queue, concern, alias, origin, fact]
        /// The ids of the posts that were adopted from a hand-over, by anybody on this device.
        static let adopted = "adopted"
        /// Single values of the device, which are no person's.
        static let device = "device"
    }

    func value(_ table: String, _ key: String) throws -> [UInt8]? {
        try reader.value(RecordKey(table, prefix + key))
    }

    /// Returns the records with a prefix; their keys are without the person's id.
    func records(
        _ table: String, prefix below: String, isDescending: Bool = false, limit: Int = .max
    ) throws -> [Record] {
        try records(table, in: RecordRange(prefix: below), isDescending: isDescending, limit: limit)
    }

    /// Returns the records of a range; the keys of both are without the person's id.
    func records(
        _ table: String, in range: RecordRange, isDescending: Bool = false, limit: Int = .max
    ) throws -> [Record] {
        let full = RecordRange(from: prefix + range.lower, to: prefix + range.upper)
        return try reader.records(table, in: full, isDescending: isDescending, limit: limit).map { record in
            Record(key: String(record.key.dropFirst(prefix.count)), value: record.value)
        }
    }

    /// Whether a post of a hand-over was adopted, by whomever.
    func isAdopted(_ id: UUID) throws -> Bool { try reader.value(RecordKey(Table.adopted, id.uuidString)) != nil }

    // MARK: Facts

    func text(_ fact: Fact) throws -> String? {
        let key = fact.isOfDevice ? RecordKey(Table.device, fact.key) : RecordKey(Table.fact, prefix + fact.key)
        return try reader.value(key).map { String(decoding: $0, as: UTF8.self) }
    }

    func number(_ fact: Fact) throws -> Int64? { try text(fact).flatMap { Int64($0) } }

    // MARK: Ids

    /// Returns the id that the service has given to a post or a comment, or else the id itself.
    func real<Subject>(_ id: EntityID<Subject>) throws -> EntityID<Subject> {
        guard id.isLocal else { return id }
        return try value(Table.alias, TintypeStore.Subject.escaped(id.rawValue))
            .map { EntityID(String(decoding: $0, as: UTF8.self)) } ?? id
    }

    /// Returns the id that this device has made for a post or a comment, or else the id itself. It never changes, and
    /// is therefore the identity of what people see.
    func identity<Subject>(_ id: EntityID<Subject>) throws -> EntityID<Subject> {
        if id.isLocal { return id }
        return try value(Table.origin, TintypeStore.Subject.escaped(id.rawValue))
            .map { EntityID(String(decoding: $0, as: UTF8.self)) } ?? id
    }
}

/// A single value of a person's records, or of the device.
struct Fact {
    let key: String
    /// Whether it is the device's, whichever person is signed in.
    var isOfDevice = false

    /// The position of the last synchronisation.
    static let cursor = Fact(key: "cursor")
    /// The number of the last write.
    static let lastWrite = Fact(key: "last-write", isOfDevice: true)
    /// The person whose outbox has a write.
    static func owner(of write: Int64) -> Fact { Fact(key: "owner/\(write)", isOfDevice: true) }
    /// The number of unread notifications.
    static let unread = Fact(key: "unread")
    /// The end of a write: `done` or `withdrawn`; absent before, and for long ago.
    static func end(of write: Int64) -> Fact { Fact(key: "end/\(write)", isOfDevice: true) }
    /// The progress of a post of photos.
    static func upload(_ post: Post.ID) -> Fact { Fact(key: "upload/" + Subject.escaped(post.rawValue)) }
    /// The cursor with which a list continues on the service; absent when the device has all of it.
    static func next(of list: ListName) -> Fact { Fact(key: "next/" + Subject.escaped(list.rawValue)) }
    /// The number of the change up to which a list was read at least once; absent for a list that never was.
    static func read(of list: ListName) -> Fact { Fact(key: readPrefix + Subject.escaped(list.rawValue)) }
    static let readPrefix = "read/"
}
