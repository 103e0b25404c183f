/// A JSON value as the tree stores it; a missing value is a nil `TreeValue?`.
///
/// The tree contains no null, array or empty object: arrays are objects with the keys 0, 1, 2 …, and empty values do
/// not exist. Numbers are equal if they are numerically equal (1 and 1.0 are the same value), strings if their bytes
/// are.
public enum TreeValue: Sendable {
    /// A Boolean.
    case bool(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// Any other number; whole numbers that fit become ``integer(_:)`` when they are stored.
    case double(Double)
    /// A text of at most ``maxStringBytes`` bytes.
    case string(String)
    /// The children by key.
    case object([TreeKey: TreeValue])

    /// The longest string, in bytes of UTF-8.
    public static let maxStringBytes = 10_000_000

    /// The text, if this is a string.
    public var stringValue: String? { if case .string(let string) = self { string } else { nil } }
    /// The integer, if this is a whole number that fits into 64 bits; this includes 1.0.
    public var integerValue: Int64? { if case .integer(let integer) = withCanonicalNumber { integer } else { nil } }
    /// The truth value, if this is a Boolean.
    public var boolValue: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    /// The children, if this is an object.
    public var object: [TreeKey: TreeValue]? { if case .object(let object) = self { object } else { nil } }

    /// The number, if this is a number; whole numbers beyond 2⁵³ are rounded.
    public var doubleValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// The child with a key, if this is an object that contains it.
    public subscript(key: TreeKey) -> TreeValue? { object?[key] }

    /// The value at a path below this one; for the root path, the value itself.
    public subscript(path path: TreePath) -> TreeValue? {
        path.keys.reduce(self as TreeValue?) { value, key in value?[key] }
    }

    /// Returns the value in the form in which the store keeps it: whole numbers as integers, no empty objects; nil if
    /// nothing is left.
    ///
    /// - Throws: ``TreeError`` with code `invalid_value` for numbers that are not finite, `too_large` for strings over
    ///   ``maxStringBytes`` and for objects deeper than ``TreePath/maxDepth``.
    public func normalised() throws(TreeError) -> TreeValue? { try normalised(at: .root) }

    package func normalised(at path: TreePath) throws(TreeError) -> TreeValue? {
        try path.checkDepth()
        switch self {
        case .bool, .integer:
            return self
        case .double(let double):
            guard double.isFinite else {
                throw TreeError(.invalidValue, "\(double) is not finite", path: path, hint: "Store a finite number.")
            }
            return withCanonicalNumber
        case .string(let string):
            let byteCount = string.utf8.count
            guard byteCount <= Self.maxStringBytes else {
                throw TreeError(
                    .tooLarge, "the string has \(byteCount) bytes; the limit is \(Self.maxStringBytes)", path: path,
                    hint: "Keep large data in a blob and its name in the tree.")
            }
            return self
        case .object(let children):
            var kept: [TreeKey: TreeValue] = [:]
            kept.reserveCapacity(children.count)
            for (key, child) in children {
                kept[key] = try child.normalised(at: path / key)
            }
            return kept.isEmpty ? nil : .object(kept)
        }
    }

    private var withCanonicalNumber: TreeValue {
        if case .double(let double) = self, let integer = Int64(exactly: double) { .integer(integer) } else { self }
    }
}

extension TreeValue: Hashable {
    /// Whether both are the same JSON value: numbers are compared by value, strings by bytes.
    public static func == (left: TreeValue, right: TreeValue) -> Bool {
        switch (left.withCanonicalNumber, right.withCanonicalNumber) {
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch withCanonicalNumber {
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(integer)
        case .double(let double): hasher.combine(double)
        case .string(let string): hasher.combine(string)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension TreeValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an object from a literal; if a key occurs twice, the last value is used.
    public init(dictionaryLiteral elements: (TreeKey, TreeValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
