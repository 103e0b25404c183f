/// One place written: the new value there, or nil when what was there is deleted.
public struct TreeWrite: Hashable, Sendable {
    /// The place.
    public let path: TreePath
    /// What is there afterwards; nil for nothing.
    public let value: TreeValue?

    /// Makes a write.
    public init(path: TreePath, value: TreeValue?) {
        self.path = path
        self.value = value
    }
}

/// Something that must hold just before an update is applied, or none of it is.
public enum Precondition: Hashable, Sendable {
    /// Something is at the path.
    case exists(TreePath)
    /// Nothing is at the path.
    case absent(TreePath)
    /// Exactly this value is at the path; nil for nothing.
    case equals(TreePath, TreeValue?)
    /// What is at the path, priorities among it, has this ETag (``TreeSnapshot/etag(of:)``).
    case etag(TreePath, String)
}

/// What the store fills in when it commits an update.
public enum ServerValue: Hashable, Sendable {
    /// The time of the commit, in milliseconds since 1970.
    case timestamp
    /// The position in the change log that the commit gets: its ``SyncToken/sequence``, as a whole number.
    case position
}

/// A change of any number of places in the tree, applied whole or not at all.
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
    /// What the store is to fill in, by path; a path within one of the ``values`` becomes part of that value.
    public private(set) var serverValues: [TreePath: ServerValue] = [:]
    /// What must hold for the update to be applied.
    public var preconditions: [Precondition]

    /// Makes an update that writes nothing yet.
    public init(preconditions: [Precondition] = []) { self.preconditions = preconditions }

    /// What the update writes at a path; setting nil deletes what is there.
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
