import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AccountRecords {
    /// Returns a write; nil if it is done, or was withdrawn.
    func write(_ number: Int64) throws -> QueuedWrite? {
        try value(Table.write, Self.key(number)).flatMap { bytes in
            // A write of a later version of the app, which this one cannot send, stays where it is.
            try? JSONDecoder().decode(QueuedWrite.self, from: Data(bytes))
        }
    }

    /// Returns all writes in the order in which they were made.
    func writes() throws -> [QueuedWrite] {
        try records(Table.write, prefix: "").compactMap {
            try? JSONDecoder().decode(QueuedWrite.self, from: Data($0.value))
        }
    }

    /// Returns the writes that concern a subject, in the order in which they were made.
    func writes(on subject: Subject) throws -> [QueuedWrite] {
        try records(Table.concern, prefix: subject.key + "//").compactMap { record in
            try Self.number(record.key.dropFirst(subject.key.count + 2)).flatMap { try write($0) }
        }
    }

    /// Returns a write of anybody on this device; nil if it is done, or was withdrawn.
    func anybodysWrite(_ number: Int64) throws -> QueuedWrite? {
        try text(.owner(of: number)).flatMap { try AccountRecords(Person.ID($0), in: reader).write(number) }
    }

    /// Returns the writes on a post by both of its ids.
    func writes(onPost id: Post.ID) throws -> [QueuedWrite] {
        let (real, local) = (try real(id), try identity(id))
        let own = try writes(on: .post(real))
        return real == local ? own : (try writes(on: .post(local)) + own).sorted { $0.number < $1.number }
    }

    /// Returns the writes on a comment by both of its ids, and both of its post's.
    func writes(onComment id: Comment.ID, of post: Post.ID) throws -> [QueuedWrite] {
        let posts = Set([try real(post), try identity(post)])
        let comments = Set([try real(id), try identity(id)])
        return try posts.flatMap { post in try comments.flatMap { try writes(on: .comment($0, on: post)) } }
            .sorted { $0.number < $1.number }
    }

    /// Returns the numbers of the writes that must be sent, in their order.
    func queue(_ lane: Write.Lane, after number: Int64 = 0, limit: Int) throws -> [Int64] {
        let prefix = lane.rawValue + "/"
        let range = RecordRange(from: prefix + Self.key(number + 1), to: RecordRange(prefix: prefix).upper)
        return try records(Table.queue, in: range, limit: limit).compactMap {
            Self.number($0.key.dropFirst(prefix.count))
        }
    }

    /// Returns the number of writes that must be sent.
    func queueCount(_ lane: Write.Lane) throws -> Int {
        try reader.count(Table.queue, in: RecordRange(prefix: prefix + lane.rawValue + "/"))
    }

    /// Returns the writes that the service has carried out, and that are still laid over its state.
    ///
    /// - Parameters:
    ///   - number: The number of the last change whose writes are wanted.
    ///   - others: The numbers of further writes that are wanted.
    func sentWrites(upTo number: Int64 = .max, and others: Set<Int64> = []) throws -> [QueuedWrite] {
        let prefix = AccountChanges.sent + "/"
        return try records(Table.queue, prefix: prefix).compactMap { record in
            guard let write = Self.number(record.key.dropFirst(prefix.count)) else { return nil }
            let change = Int64(String(decoding: record.value, as: UTF8.self)) ?? 0
            return change <= number || others.contains(write) ? try self.write(write) : nil
        }
    }

    static func key(_ number: Int64) -> String { Place.padded(UInt64(clamping: number)) }

    static func number(_ key: Substring) -> Int64? { Int64(key, radix: 16) }
}

extension AccountChanges {
    /// Adds a write to the outbox.
    ///
    /// - Parameter key: The key by which the service recognises the same write; nil for a new one.
    func add(_ write: Write, at date: Date, key: String? = nil) throws -> QueuedWrite {
        let number = (try records.number(.lastWrite) ?? 0) + 1
        try set(number, .lastWrite)
        try set(records.account.rawValue, .owner(of: number))
        let queued = QueuedWrite(number: number, date: date, write: write, key: key ?? UUID().uuidString)
        for subject in write.subjects {
            try set("", AccountRecords.Table.concern, subject.key + "//" + AccountRecords.key(number))
        }
        try update(queued)
        return queued
    }

    /// Stores a changed write, and whether it must be sent.
    func update(_ queued: QueuedWrite) throws {
        let key = AccountRecords.key(queued.number)
        try set([UInt8](try JSONEncoder().encode(queued)), AccountRecords.Table.write, key)
        for name in Self.queues(of: queued) {
            let entry = name == Self.sent ? queued.sentEntry : queued.isQueued ? "" : nil
            try set(entry, AccountRecords.Table.queue, name + "/" + key)
        }
        note(queued)
    }

    /// Removes a write.
    ///
    /// - Parameter isDone: Whether the service has carried it out; false if it was withdrawn.
    func remove(_ queued: QueuedWrite, isDone: Bool = false) throws {
        let key = AccountRecords.key(queued.number)
        try set(nil as String?, AccountRecords.Table.write, key)
        for name in Self.queues(of: queued) {
            try set(nil as String?, AccountRecords.Table.queue, name + "/" + key)
        }
        for subject in queued.write.subjects {
            try set(nil as String?, AccountRecords.Table.concern, subject.key + "//" + key)
        }
        if case .post(let post) = queued.write {
            drop(files: post.photos.map(\.name))
            try set(nil as String?, Fact.upload(post.id))
        }
        // The ends of the last writes are kept for those who follow them.
        try set(nil as String?, .owner(of: queued.number))
        try set(isDone ? "done" : "withdrawn", Fact.end(of: queued.number))
        try set(nil as String?, Fact.end(of: queued.number - 1000))
        note(queued)
    }

    /// The names of the queues in which a write may be.
    private static func queues(of queued: QueuedWrite) -> [String] { [queued.write.lane.rawValue, sent] }

    /// The name of the queue of the writes that the service has carried out.
    fileprivate static let sent = "sent"

    private func note(_ queued: QueuedWrite) {
        for subject in queued.write.subjects { touch(subject) }
        if case .tree(let write) = queued.write {
            for depth in 0...write.keys.count { touch(.below(write.keys.prefix(depth))) }
        }
        touch(.outbox)
        touch(.write(queued.number))
    }
}

extension QueuedWrite {
    /// The entry among the writes that the service has carried out: the number of the change, if it is known; nil for others.
    fileprivate var sentEntry: String? {
        guard case .sent(let change, _) = state else { return nil }
        return change.map { String($0) } ?? ""
    }
}
