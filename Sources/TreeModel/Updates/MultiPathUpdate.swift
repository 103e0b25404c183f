/// A write of one path: its new value, or nil for a deletion.
public struct TreeWrite: Hashable, Sendable {
    /// The path that is written.
    public let path: TreePath
    /// The value after the write; nil for a deletion.
    public let value: TreeValue?

    /// Creates a write.
    public init(path: TreePath, value: TreeValue?) {
        self.path = path
        self.value = value
    }
}

/// A condition that must hold just before an update is applied; otherwise nothing of the update is applied.
public enum Precondition: Hashable, Sendable {
    /// A value exists at the path.
    case exists(TreePath)
    /// No value exists at the path.
    case absent(TreePath)
    /// The value at the path equals this one; nil if none may exist.
    case equals(TreePath, TreeValue?)
    /// The value at the path, including priorities, has this ETag (`TreeSnapshot.etag(of:)`).
    case etag(TreePath, String)
    /// The value at the path, including priorities, has this hash, as clients compute it (see `NodeHashBuilder`).
    case nodeHash(TreePath, String)
}

/// A value that the store determines when it commits an update.
public enum ServerValue: Hashable, Sendable {
    /// The time of the commit, in milliseconds since 1970.
    case timestamp
    /// The position in the change log after the commit: its ``SyncToken/sequence``, as a whole number.
    case position
}

/// A change of any number of nodes in the tree, applied as a whole or not at all.
///
///     var update = MultiPathUpdate()
///     update["posts" / id] = post
///     update["feed" / uid / id] = true
///     update["uploads" / id] = nil            // deletes
///     update.preconditions = [.absent("posts" / id)]
///     let token = try await store.update(update)
///
/// The store refuses an update (code `conflicting_paths`) if one of its paths is above another.
public struct MultiPathUpdate: Sendable {
    /// The new value of each path; nil for a deletion.
    public private(set) var values: [TreePath: TreeValue?] = [:]
    /// The server values by path; a path within one of the ``values`` becomes part of that value.
    public private(set) var serverValues: [TreePath: ServerValue] = [:]
    /// The conditions for the update to be applied.
    public var preconditions: [Precondition]
    /// Whether the update frees space on the disk although it also writes values, so that it is accepted on a full
    /// disk. An update that contains only deletions counts as such anyway.
    public var makesRoom = false
    /// The first stratum of the store's derivations that sees the writes; earlier strata ignore them.
    package var firstStratum = 0

    /// Creates an empty update.
    public init(preconditions: [Precondition] = []) { self.preconditions = preconditions }

    /// The value that the update writes at a path; setting nil deletes the value there.
    ///
    /// Reading returns nil both for a path that is deleted and for one that is not part of the update.
    public subscript(path: TreePath) -> TreeValue? {
        get { values[path] ?? nil }
        set {
            values.updateValue(newValue, forKey: path)
            serverValues[path] = nil
        }
    }

    /// Sets a value that the store determines when it commits the update.
    ///
    /// The path may be within a value that the update writes; the result then becomes part of that value:
    ///
    ///     update["posts" / id] = post
    ///     update.set("posts" / id / "published", to: .position)
    public mutating func set(_ path: TreePath, to value: ServerValue) {
        values[path] = nil
        serverValues[path] = value
    }
}
