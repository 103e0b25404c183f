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
    /// What must hold for the update to be applied.
    public var preconditions: [Precondition]

    /// Makes an update that writes nothing yet.
    public init(preconditions: [Precondition] = []) { self.preconditions = preconditions }

    /// What the update writes at a path; setting nil deletes what is there.
    ///
    /// Reading gives nil both for a path that is deleted and for one that is not part of the update.
    public subscript(path: TreePath) -> TreeValue? {
        get { values[path] ?? nil }
        set { values.updateValue(newValue, forKey: path) }
    }
}
