/// A range of keys in the protocol's key order, to page through children.
public struct KeyRange: Hashable, Sendable {
    /// An end of the range.
    public enum Bound: Hashable, Sendable {
        /// The range has no end on this side.
        case unbounded
        /// The range ends with this key.
        case including(TreeKey)
        /// The range ends just before this key is met.
        case excluding(TreeKey)
    }

    /// The beginning of the range.
    public var lower: Bound
    /// The end of the range.
    public var upper: Bound

    /// Makes a range of two ends.
    public init(lower: Bound = .unbounded, upper: Bound = .unbounded) {
        self.lower = lower
        self.upper = upper
    }

    /// All keys.
    public static let all = KeyRange()
    /// The key and all after it.
    public static func from(_ key: TreeKey) -> KeyRange { KeyRange(lower: .including(key)) }
    /// All keys after this one.
    public static func after(_ key: TreeKey) -> KeyRange { KeyRange(lower: .excluding(key)) }
    /// The key and all before it.
    public static func to(_ key: TreeKey) -> KeyRange { KeyRange(upper: .including(key)) }
    /// All keys before this one.
    public static func before(_ key: TreeKey) -> KeyRange { KeyRange(upper: .excluding(key)) }
}

/// The direction in which children are read.
public enum KeyOrder: Sendable {
    /// The smallest key first.
    case ascending
    /// The greatest key first.
    case descending
}

/// A child with its key.
public struct TreeChild: Hashable, Sendable {
    /// The key.
    public let key: TreeKey
    /// The child's value, with all that is below.
    public let value: TreeValue

    /// Makes a child.
    public init(key: TreeKey, value: TreeValue) {
        self.key = key
        self.value = value
    }
}
