/// A JSON text, parsed and written in the simplest way.
enum NaiveJSON: Equatable, Sendable {
    case null
    case leaf(ModelLeaf)
    case array([NaiveJSON])
    /// Members in their order; keys may be duplicated.
    case object([Member])

    struct Member: Equatable, Sendable {
        let key: ModelText
        let value: NaiveJSON
    }

    /// Creates a constant object, for tests.
    static func members(_ members: (String, NaiveJSON)...) -> NaiveJSON {
        .object(members.map { Member(key: ModelText($0.0), value: $0.1) })
    }

    static func string(_ string: String) -> NaiveJSON { .leaf(.text(ModelText(string))) }
}

// MARK: - Writing

extension NaiveJSON {
    /// A mark for the server's time while it is unknown.
    static let nowMark = "\u{F8FF}now\u{F8FF}"

    var text: String {
        switch self {
        case .null: "null"
        case .leaf(let leaf): Self.text(leaf)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    /// Returns the text with a line for each member, and two spaces for each level.
    func pretty(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .array(let elements) where !elements.isEmpty:
            return "[\n" + elements.map { inner + $0.pretty(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(Self.quoted($0.key)): \($0.value.pretty(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        default: return text
        }
    }

    private static func text(_ leaf: ModelLeaf) -> String {
        switch leaf {
        case .bool(let bool): "\(bool)"
        case .integer(let integer): "\(integer)"
        case .double(let double): "\(double)"
        case .text(let text): quoted(text)
        case .now: nowMark
        case .increment: "?"
        }
    }

    static func quoted(_ text: ModelText) -> String {
        let short: [UInt32: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: "\\\"", 92: "\\\\"]
        let scalars = text.string.unicodeScalars.map { scalar in
            if let escape = short[scalar.value] { return escape }
            guard scalar.value < 0x20 else { return String(scalar) }
            return "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        }
        return "\"" + scalars.joined() + "\""
    }
}

// MARK: - Reading

extension NaiveJSON {
    /// Parses a whole text; nil if it is not JSON in UTF-8 (RFC 8259).
    init?(_ bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = NaiveJSONReader(scalars: Array(text.unicodeScalars))
        guard let value = reader.value(), reader.isAtEnd else { return nil }
        self = value
    }
}

private struct NaiveJSONReader {
    let scalars: [Unicode.Scalar]
    private var position = 0

    init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return next == nil
        }
    }

    private mutating func skipSpace() {
        while let scalar = next, " \t\n\r".unicodeScalars.contains(scalar) { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == scalar else { return false }
        position += 1
        return true
    }

    mutating func value() -> NaiveJSON? {
        skipSpace()
        switch next {
        case "{": return object()
        case "[": return array()
        case "\"": return string().map { .leaf(.text($0)) }
        case nil: return nil
        default: return word()
        }
    }

    private mutating func object() -> NaiveJSON? {
        guard take("{") else { return nil }
        var members: [NaiveJSON.Member] = []
        guard !take("}") else { return .object([]) }
        repeat {
            skipSpace()
            guard let key = string(), take(":"), let value = value() else { return nil }
            members.append(NaiveJSON.Member(key: key, value: value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> NaiveJSON? {
        guard take("[") else { return nil }
        var elements: [NaiveJSON] = []
        guard !take("]") else { return .array([]) }
        repeat {
            guard let value = value() else { return nil }
            elements.append(value)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func string() -> ModelText? {
        guard next == "\"" else { return nil }
        position += 1
        var units: [UInt16] = []
        while let scalar = next, scalar != "\"" {
            position += 1
            guard scalar.value >= 0x20 else { return nil }
            guard scalar == "\\" else {
                units += Array(String(scalar).utf16)
                continue
            }
            guard let unit = escape() else { return nil }
            units.append(unit)
        }
        guard next == "\"" else { return nil }
        position += 1
        return String(validating: units, as: UTF16.self).map { ModelText($0) }
    }

    private mutating func escape() -> UInt16? {
        guard let letter = next else { return nil }
        position += 1
        let plain: [Unicode.Scalar: UInt16] = [
            "\"": 34, "\\": 92, "/": 47, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        if let unit = plain[letter] { return unit }
        guard letter == "u", position + 4 <= scalars.count else { return nil }
        let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
        position += 4
        return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
    }

    private mutating func word() -> NaiveJSON? {
        let start = position
        while let scalar = next, !" \t\n\r,]}:[{\"".unicodeScalars.contains(scalar) { position += 1 }
        switch String(String.UnicodeScalarView(scalars[start..<position])) {
        case "null": return .null
        case "true": return .leaf(.bool(true))
        case "false": return .leaf(.bool(false))
        case let word: return Self.number(word).map(NaiveJSON.leaf)
        }
    }

    /// Parses a number, `-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`, within the range of a double.
    private static func number(_ word: String) -> ModelLeaf? {
        let parts = word.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = mantissa[0].first == "-" ? mantissa[0].dropFirst() : mantissa[0]
        var digits = [whole] + mantissa.dropFirst()
        if parts.count > 1 {
            digits.append(parts[1].first.map("+-".contains) == true ? parts[1].dropFirst() : parts[1])
        }
        guard digits.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            whole == "0" || whole.first != "0"
        else { return nil }
        if digits.count == 1, let integer = Int64(word) { return .integer(integer) }
        guard let double = Double(word), double.isFinite else { return nil }
        return ModelLeaf(double)
    }
}
