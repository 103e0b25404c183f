package import Tree

/// The times at which an entity was created and last changed, by the service's clock.
///
/// Derivations store them beside the entity (``TimeNodes``), in the commit of the change, for every writer. They are
/// stored as text: the time of the creation, and after a space that of the last change if it is another, in milliseconds
/// since the epoch. The first is missing for an entity that is older than the derivations.
package struct EntityTimes: Sendable, Hashable {
    /// The time of the creation; nil if it is not known.
    package var created: Timestamp?
    /// The time of the last change, which is that of the creation for an entity that has not changed; nil if it is not
    /// known.
    package var updated: Timestamp?

    /// The times of an entity about which nothing is known.
    package static let unknown = EntityTimes()

    private init() {}

    /// Creates the times of an entity that has not changed.
    package init(created time: Timestamp) { (created, updated) = (time, time) }

    /// Reads a stored value; nil for a malformed one.
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        func time(_ part: Substring) -> Timestamp? { Int64(part).map { Timestamp(milliseconds: $0) } }
        created = parts.first.flatMap(time)
        updated = parts.count > 1 ? parts.last.flatMap(time) : created
        guard updated != nil, created != nil || parts.first?.isEmpty == true else { return nil }
    }

    /// The stored value.
    package var value: TreeValue {
        let (first, last) = (created?.description ?? "", updated?.description ?? "")
        return .string(first == last ? first : "\(first) \(last)")
    }

    /// Returns the times after a change. The time of the last change never decreases, even if the clock is set back.
    package func changed(at time: Timestamp) -> EntityTimes {
        var times = self
        times.updated = updated.map { max($0, time) } ?? time
        return times
    }

    /// Returns the times with those in the entity's record in place of unknown ones: `timestamp` for the creation, and
    /// `edited`, or else the creation, for the last change.
    package func completed(by record: TreeValue) -> EntityTimes {
        completed(created: Self.time(record["timestamp"]), edited: Self.time(record["edited"]))
    }

    /// Returns the times with others in place of unknown ones.
    package func completed(created timestamp: Timestamp?, edited: Timestamp? = nil) -> EntityTimes {
        var times = self
        times.created = created ?? timestamp
        times.updated = updated ?? edited ?? times.created
        return times
    }

    /// Reads a time in a record; nil for a value that is not a time in milliseconds.
    private static func time(_ value: TreeValue?) -> Timestamp? {
        value?.doubleValue.flatMap { Int64(exactly: $0.rounded(.down)) }.map { Timestamp(milliseconds: $0) }
    }
}

// MARK: - Reading

extension EntityTimes {
    /// Reads the times that are stored at a path; ``unknown`` for none.
    package init(at path: TreePath, in snapshot: TreeSnapshot) throws(TreeError) {
        self = try snapshot.get(path).flatMap { EntityTimes($0) } ?? .unknown
    }

    /// Returns the times that are stored at some children of a path, by their keys, with one search.
    ///
    /// - Parameter keys: The keys of the children, which should be neighbours.
    package static func stored(
        below path: TreePath, of keys: some Collection<TreeKey>, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeKey: EntityTimes] {
        guard let first = keys.min(), let last = keys.max() else { return [:] }
        let range = KeyRange(lower: .including(first), upper: .including(last))
        var times: [TreeKey: EntityTimes] = [:]
        for row in try snapshot.children(of: path, range: range) { times[row.key] = EntityTimes(row.value) }
        return times
    }
}
