/// A range of keys in the protocol's key order, used to page through children.
public struct KeyRange: Hashable, Sendable {
    /// An end of the range.
    public enum Bound: Hashable, Sendable {
        /// The range is unbounded on this side.
        case unbounded
        /// The range includes this key as its last on this side.
        case including(TreeKey)
        /// The range ends on this side before this key.
        case excluding(TreeKey)
    }

    /// The lower bound.
    public var lower: Bound
    /// The upper bound.
    public var upper: Bound

    /// Creates a range from two bounds.
    public init(lower: Bound = .unbounded, upper: Bound = .unbounded) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of all keys.
    public static let all = KeyRange()
    /// Returns the range of a key and all keys after it.
    public static func from(_ key: TreeKey) -> KeyRange { KeyRange(lower: .including(key)) }
    /// Returns the range of all keys after a key.
    public static func after(_ key: TreeKey) -> KeyRange { KeyRange(lower: .excluding(key)) }
    /// Returns the range of a key and all keys before it.
    public static func to(_ key: TreeKey) -> KeyRange { KeyRange(upper: .including(key)) }
    /// Returns the range of all keys before a key.
    public static func before(_ key: TreeKey) -> KeyRange { KeyRange(upper: .excluding(key)) }
}

/// The direction in which children are read.
public enum KeyOrder: Sendable {
    /// Smallest key first.
    case ascending
    /// Greatest key first.
    case descending
}

/// A child with its key.
public struct TreeChild: Hashable, Sendable {
    /// The key.
    public let key: TreeKey
    /// The child's value with everything below it.
    public let value: TreeValue

    /// Creates a child.
    public init(key: TreeKey, value: TreeValue) {
        self.key = key
        self.value = value
    }
}
