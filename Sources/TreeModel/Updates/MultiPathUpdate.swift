/// One path written: the new value there, or nil when what was there is deleted.
public struct TreeWrite: Hashable, Sendable {
    /// The path.
    public let path: TreePath
    /// The value that is there afterwards; nil for nothing.
    public let value: TreeValue?

    /// Makes a write.
    public init(path: TreePath, value: TreeValue?) {
        self.path = path
        self.value = value
    }
}

/// A condition that must hold just before an update is applied, or none of it is.
public enum Precondition: Hashable, Sendable {
    /// A value is at the path.
    case exists(TreePath)
    /// No value is at the path.
    case absent(TreePath)
    /// Exactly this value is at the path; nil for nothing.
    case equals(TreePath, TreeValue?)
    /// The value at the path, priorities among it, has this ETag (`TreeSnapshot.etag(of:)`).
    case etag(TreePath, String)
    /// The value at the path, priorities among it, has this hash, as clients make it (`NodeHashBuilder` says how).
    case nodeHash(TreePath, String)
}

/// A value that the store fills in when it commits an update.
public enum ServerValue: Hashable, Sendable {
    /// The time of the commit, in milliseconds since 1970.
    case timestamp
    /// The position in the change log that the commit gets: its ``SyncToken/sequence``, as a whole number.
    case position
}

/// A change of any number of nodes in the tree, applied whole or not at all.
///
///     var update = MultiPathUpdate()
///     update["posts" / id] = post
///     update["feed" / uid / id] = true
///     update["uploads" / id] = nil            // deletes
///     update.preconditions = [.absent("posts" / id)]
///     let token = try await store.update(update)
///
/// The store refuses it (code `conflicting_paths`) if one path lies above another.
public struct MultiPathUpdate: Sendable {
    /// The new value of each path; nil deletes.
    public private(set) var values: [TreePath: TreeValue?] = [:]
    /// The values that the store fills in, by path; a path within one of the ``values`` becomes part of that value.
    public private(set) var serverValues: [TreePath: ServerValue] = [:]
    /// The conditions for the update to be applied.
    public var preconditions: [Precondition]
    /// Whether it makes room on the disk although it writes values, too, so that a full disk does not keep it from being made. An
    /// update that only deletes counts as such by itself.
    public var makesRoom = false
    /// The first stratum of the store's derivations that sees what is written; those before it let it be.
    package var firstStratum = 0

    /// Makes an update that writes nothing yet.
    public init(preconditions: [Precondition] = []) { self.preconditions = preconditions }

    /// The value that the update writes at a path; setting nil deletes what is there.
    ///
    /// Reading gives nil both for a path that is deleted and for one that is not part of the update.
    public subscript(path: TreePath) -> TreeValue? {
        get { values[path] ?? nil }
        set {
            values.updateValue(newValue, forKey: path)
            serverValues[path] = nil
        }
    }

    /// Has the store fill in a value when it commits the update.
    ///
    /// The path may lie within a value that the update writes, of which the result becomes a part:
    ///
    ///     update["posts" / id] = post
    ///     update.set("posts" / id / "published", to: .position)
    public mutating func set(_ path: TreePath, to value: ServerValue) {
        values[path] = nil
        serverValues[path] = value
    }
}
