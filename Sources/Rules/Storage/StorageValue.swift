import TreeModel

/// The value of an expression of storage rules.
enum StorageValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// A point in time, in milliseconds since the epoch.
    case time(Int64)
    case list([StorageValue])
    case map([String: StorageValue])

    init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .integer(let integer): .integer(Int64(integer))
            case .double(let double): .double(double)
            case .string(let string): .string(string)
            case .list(let list): .list(list.map { StorageValue($0) })
            case .object(let object): .map(object.mapValues { StorageValue($0) })
            }
    }

    /// The number; nil for other values.
    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// Whether two values are equal; values of different types never are, except for numbers.
    static func areEqual(_ one: StorageValue, _ other: StorageValue) -> Bool {
        switch (one, other) {
        case (.null, .null): return true
        case (.bool(let one), .bool(let other)): return one == other
        case (.integer(let one), .integer(let other)), (.time(let one), .time(let other)): return one == other
        case (.string(let one), .string(let other)): return one.hasSameBytes(as: other)
        case (.list(let one), .list(let other)):
            return one.count == other.count && zip(one, other).allSatisfy(areEqual)
        case (.map(let one), .map(let other)):
            return one.count == other.count
                && one.allSatisfy { name, value in other[name].map { areEqual(value, $0) } ?? false }
        default:
            guard let one = one.number, let other = other.number else { return false }
            return one == other
        }
    }
}

/// The reason why an expression of storage rules has no value.
///
/// `&&` and `||` ignore the failure of one side if the other one decides.
enum StorageFault: Error {
    case noSuchField, notBoolean, notText, notNumber, notComparable, badIndex, noSize, badPattern
    case divisionByZero, overflow, tooLong, tooManySteps, tooDeep
}
