import TintypeModel

/// The place of an entity in a list: a text by which places are ordered.
struct Place: Hashable, Sendable, Comparable {
    let key: String

    init(key: String) { self.key = key }

    /// The place of a post by its position in the order of publication, such as `1042` or `1042-1`; nil for a cursor of
    /// another form.
    init?(_ position: Cursor, id: Post.ID) {
        let parts = position.rawValue.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = parts.first ?? nil, parts.count <= 2 else { return nil }
        var number: UInt64 = 0
        if parts.count == 2 {
            guard let second = parts[1] else { return nil }
            number = second
        }
        key = Self.padded(first) + "-" + Self.padded(number) + "/" + Subject.escaped(id.rawValue)
    }

    static func < (left: Place, right: Place) -> Bool {
        left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }

    static func padded(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 16 - text.utf8.count)) + text
    }
}

/// An entry of a list.
struct ListEntry: Hashable, Sendable {
    let place: Place
    /// The id of the entity.
    let id: String
}

extension AccountRecords {
    /// Returns entries of a list, those with the greatest places first unless it is ascending.
    ///
    /// - Parameters:
    ///   - lower: The least place; nil for no limit.
    ///   - upper: The place before which the entries are; nil for no limit.
    func entries(
        of list: ListName, from lower: Place? = nil, before upper: Place? = nil, isAscending: Bool = false,
        limit: Int = .max
    ) throws -> [ListEntry] {
        let prefix = Subject.escaped(list.rawValue) + "/"
        let all = RecordRange(prefix: prefix)
        let range = RecordRange(
            from: lower.map { prefix + $0.key } ?? all.lower, to: upper.map { prefix + $0.key } ?? all.upper)
        return try records(Table.list, in: range, isDescending: !isAscending, limit: limit).map { record in
            ListEntry(
                place: Place(key: String(record.key.dropFirst(prefix.count))),
                id: String(decoding: record.value, as: UTF8.self))
        }
    }

    /// Returns the place of an entity in a list; nil if it is not in it.
    func place(of id: String, in list: ListName) throws -> Place? {
        try value(Table.place, Self.placeKey(id, list)).map { Place(key: String(decoding: $0, as: UTF8.self)) }
    }

    static func placeKey(_ id: String, _ list: ListName) -> String {
        Subject.escaped(list.rawValue) + "/" + Subject.escaped(id)
    }
}

extension AccountChanges {
    /// Puts an entity at a place of a list, from its earlier place if it has one.
    func insert(_ id: String, at place: Place, in list: ListName) throws {
        if let earlier = try records.place(of: id, in: list) {
            guard earlier != place else { return }
            try set(nil as String?, AccountRecords.Table.list, Self.key(of: earlier, in: list))
        }
        try set(id, AccountRecords.Table.list, Self.key(of: place, in: list))
        try set(place.key, AccountRecords.Table.place, AccountRecords.placeKey(id, list))
        touch(.list(list))
    }

    /// Removes an entity from a list.
    func remove(_ id: String, from list: ListName) throws {
        guard let place = try records.place(of: id, in: list) else { return }
        try set(nil as String?, AccountRecords.Table.list, Self.key(of: place, in: list))
        try set(nil as String?, AccountRecords.Table.place, AccountRecords.placeKey(id, list))
        touch(.list(list))
    }

    private static func key(of place: Place, in list: ListName) -> String {
        Subject.escaped(list.rawValue) + "/" + place.key
    }
}
