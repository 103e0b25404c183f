/// A JSON value of any kind, such as a schema or the claim set of a token. Values of the tree have neither lists nor
/// keys with a `$` or a `/`.
package indirect enum JSONValue: Codable, Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let double = try? container.decode(Double.self) {
            self = .double(double)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let list = try? container.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode(double)
        case .string(let string): try container.encode(string)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The member with a name, if this is an object; setting nil removes the member.
    package subscript(name: String) -> JSONValue? {
        get { if case .object(let object) = self { object[name] } else { nil } }
        set {
            var object: [String: JSONValue] = [:]
            if case .object(let members) = self { object = members }
            object[name] = newValue
            self = .object(object)
        }
    }

    /// The members, if this is an object.
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The text, if this is a string.
    package var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The number, if this is a whole number.
    package var integer: Int? {
        switch self {
        case .integer(let integer): integer
        case .double(let double): Int(exactly: double)
        default: nil
        }
    }

    /// The truth value, if this is a Boolean.
    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
