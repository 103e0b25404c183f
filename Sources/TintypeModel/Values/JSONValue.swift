/// A JSON value of any shape.
public indirect enum JSONValue: Hashable, Sendable {
    /// The deepest nesting of lists and objects that is decoded. The tree of the service has at most 32 levels.
    public static let maxDepth = 64

    /// The value `null`.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A whole number that fits into 64 bits; this includes 1.0.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// The members of an object by their names.
    case object([String: JSONValue])

    /// The text, if this is a string.
    public var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The truth value, if this is a Boolean.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The number, if this is a whole number that fits into 64 bits.
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .double(let double): Int64(exactly: double)
        default: nil
        }
    }

    /// The number, if this is a number; whole numbers beyond 2⁵³ are rounded.
    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// The elements, if this is a list.
    public var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? { if case .object(let object) = self { object } else { nil } }

    /// The member with a name, if this is an object that has it.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at a position, if this is a list that has it.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: Codable {
    /// Decodes a value.
    ///
    /// - Throws: `DecodingError` for a number that no 64-bit type represents, and for a value that is nested deeper
    ///   than ``maxDepth``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let double = try? container.decode(Double.self) {
            self = .double(double)
        } else {
            guard decoder.codingPath.count < Self.maxDepth else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "the value is nested deeper than \(Self.maxDepth) levels")
            }
            self = try Self.nested(in: decoder, container)
        }
    }

    private static func nested(
        in decoder: any Decoder, _ container: any SingleValueDecodingContainer
    ) throws -> JSONValue {
        if (try? decoder.unkeyedContainer()) != nil { return .array(try container.decode([JSONValue].self)) }
        return .object(try container.decode([String: JSONValue].self))
    }

    /// Encodes the value.
    ///
    /// - Throws: `EncodingError` for a number that is not finite.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode(double)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null` from the literal `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a number from a literal.
    public init(floatLiteral value: Double) { self = Int64(exactly: value).map(JSONValue.integer) ?? .double(value) }
    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a list from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object from a literal; if a name occurs twice, the last value is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
