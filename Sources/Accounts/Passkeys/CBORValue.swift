/// A value of CBOR (RFC 8949), of the kinds that authenticators send: no tags and no floating-point numbers.
indirect enum CBORValue: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case list([CBORValue])
    case map([CBORKey: CBORValue])
    /// `false`, `true` and `null`, by their numbers.
    case simple(UInt64)

    /// Returns a member of a map; nil for other values, and when it is absent.
    subscript(key: CBORKey) -> CBORValue? {
        if case .map(let members) = self { members[key] } else { nil }
    }

    /// The integer; nil for other values.
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The bytes; nil for other values.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The text; nil for other values.
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The members of a map; nil for other values.
    var members: [CBORKey: CBORValue]? { if case .map(let members) = self { members } else { nil } }
}

/// The key of a member of a map.
enum CBORKey: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case integer(Int64)
    case text(String)

    init(integerLiteral number: Int64) { self = .integer(number) }
    init(stringLiteral text: String) { self = .text(text) }
}

/// Reads values of CBOR one after another, from bytes that anybody may have written.
///
/// It refuses indefinite lengths, duplicate keys, keys that are neither integers nor texts, malformed UTF-8, and values that
/// are nested too deeply. It allocates no more than the bytes that are there.
struct CBORReader {
    /// The greatest depth of a value.
    static let maxDepth = 8

    /// The bytes that have not been read.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(Array(bytes)) }

    /// Returns the value that makes up all of the bytes; nil for anything else, such as a value with bytes behind it.
    static func value(of bytes: some Collection<UInt8>) -> CBORValue? {
        var reader = CBORReader(bytes)
        guard let value = reader.next(), reader.rest.isEmpty else { return nil }
        return value
    }

    /// Reads the next value; nil if it is malformed.
    mutating func next() -> CBORValue? { next(depth: 1) }

    private mutating func next(depth: Int) -> CBORValue? {
        guard depth <= Self.maxDepth, let (kind, argument) = head() else { return nil }
        switch kind {
        case 0: return Int64(exactly: argument).map(CBORValue.integer)
        case 1: return Int64(exactly: argument).map { .integer(-1 - $0) }
        case 2: return take(argument).map { .bytes(Array($0)) }
        case 3: return take(argument).flatMap { String(validating: $0, as: UTF8.self) }.map(CBORValue.text)
        case 4: return list(argument, depth: depth)
        case 5: return map(argument, depth: depth)
        case 7 where (20...22).contains(argument): return .simple(argument)
        default: return nil
        }
    }

    private mutating func list(_ count: UInt64, depth: Int) -> CBORValue? {
        // Each element has at least one byte.
        guard count <= UInt64(rest.count) else { return nil }
        var elements: [CBORValue] = []
        for _ in 0..<count {
            guard let element = next(depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .list(elements)
    }

    private mutating func map(_ count: UInt64, depth: Int) -> CBORValue? {
        // Each member has at least two bytes.
        guard count <= UInt64(rest.count / 2) else { return nil }
        var members: [CBORKey: CBORValue] = [:]
        for _ in 0..<count {
            let key: CBORKey
            switch next(depth: depth + 1) {
            case .integer(let number)?: key = .integer(number)
            case .text(let text)?: key = .text(text)
            default: return nil
            }
            guard members[key] == nil, let value = next(depth: depth + 1) else { return nil }
            members[key] = value
        }
        return .map(members)
    }

    /// Reads the head of a value: its major type, and the argument (RFC 8949 §3).
    private mutating func head() -> (kind: UInt8, argument: UInt64)? {
        guard let first = rest.popFirst() else { return nil }
        let (kind, detail) = (first >> 5, first & 0x1F)
        guard detail >= 24 else { return (kind, UInt64(detail)) }
        // Longer heads of the last type are floating-point numbers; the other details are indefinite lengths, or reserved.
        guard kind < 7, detail <= 27, let bytes = take(1 << UInt64(detail - 24)) else { return nil }
        return (kind, bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
