/// A consumer of the tokens of a JSON text, in their order.
package protocol JSONSink {
    mutating func beginObject() throws(TreeError)
    /// Receives the key of the next member, in valid UTF-8.
    mutating func key(_ utf8: Span<UInt8>) throws(TreeError)
    mutating func endObject() throws(TreeError)
    mutating func beginArray() throws(TreeError)
    mutating func endArray() throws(TreeError)
    /// Receives a string, in valid UTF-8.
    mutating func string(_ utf8: Span<UInt8>) throws(TreeError)
    mutating func number(_ number: JSONNumber) throws(TreeError)
    mutating func bool(_ bool: Bool) throws(TreeError)
    mutating func null() throws(TreeError)
}

/// A JSON number; it is an integer if its value is whole and fits into 64 bits.
package enum JSONNumber {
    case integer(Int64)
    case double(Double)
}

/// A tokenizer for JSON (RFC 8259, UTF-8) that accepts the text in pieces of any length, and passes on each token at
/// once.
///
/// It is `@inlinable`, so that a sink of another module gets specialised code that is as fast as code in its own
/// module.
///
/// It holds only the current token and one byte per level. Invalid JSON is refused with code `invalid_json`; ``offset``
/// is the position of the error.
package struct JSONTokenizer<Sink: JSONSink> {
    /// The deepest nesting that any sink can process.
    @usableFromInline package static var maxDepth: Int { 128 }

    /// The most white space between two tokens, in bytes. White space has no meaning, so that longer runs are refused.
    @usableFromInline static var maxSpaces: Int { 4096 }

    @usableFromInline enum Expectation {
        case value, firstElementOrEnd, firstKeyOrEnd, key, colon, commaOrEnd, nothing
    }

    package var sink: Sink
    @usableFromInline var expectation = Expectation.value
    /// The open containers; true for objects, false for arrays.
    @usableFromInline var containers: [Bool] = []
    /// The start of a token whose end has not arrived yet.
    @usableFromInline var rest: [UInt8] = []
    /// The number of bytes of white space since the last token.
    @usableFromInline var spaces = 0
    /// The number of bytes at the start of ``rest`` that have been searched for the end of a string.
    @usableFromInline var scanned = 0
    @usableFromInline var scratch: [UInt8] = []
    /// The number of bytes that were consumed before the current ones.
    @usableFromInline var consumedBytes = 0
    /// The offset of the last token in bytes; after a failure, that of the invalid token.
    @usableFromInline package internal(set) var offset = 0

    @inlinable package init(_ sink: Sink) { self.sink = sink }

    /// Reads the next bytes.
    @inlinable package mutating func feed(_ bytes: Span<UInt8>) throws(TreeError) {
        if rest.isEmpty {
            let consumed = try read(bytes, isLast: false)
            rest.append(bytes.extracting(droppingFirst: consumed))
        } else {
            rest.append(bytes)
            try readRest(isLast: false)
        }
    }

    /// Reads the rest; the text must be complete.
    @inlinable package mutating func finish() throws(TreeError) {
        try readRest(isLast: true)
        guard case .nothing = expectation else {
            offset = consumedBytes
            throw Self.invalid("the text ends too early")
        }
    }

    @inlinable mutating func readRest(isLast: Bool) throws(TreeError) {
        let bytes = rest
        let consumed = try read(bytes.span, isLast: isLast)
        if consumed > 0 { rest.removeSubrange(..<consumed) }
    }

    /// Reads complete tokens.
    ///
    /// - Returns: The number of bytes that were read.
    @inlinable mutating func read(_ bytes: Span<UInt8>, isLast: Bool) throws(TreeError) -> Int {
        var position = 0
        while true {
            let start = position
            while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
            spaces += position - start
            guard spaces <= Self.maxSpaces else {
                offset = consumedBytes + position
                throw Self.invalid("more than \(Self.maxSpaces) bytes of white space")
            }
            guard position < bytes.count, let end = try readToken(of: bytes, at: position, isLast: isLast) else {
                consumedBytes += position
                return position
            }
            (position, spaces) = (end, 0)
        }
    }

    /// Reads one token.
    ///
    /// - Returns: The end of the token; nil if it has not arrived yet.
    @inlinable mutating func readToken(
        of bytes: Span<UInt8>, at start: Int, isLast: Bool
    ) throws(TreeError) -> Int? {
        offset = consumedBytes + start
        switch (expectation, bytes[start]) {
        case (.value, _):
            return try readValue(of: bytes, at: start, isLast: isLast)
        case (.firstElementOrEnd, UInt8(ascii: "]")), (.firstKeyOrEnd, UInt8(ascii: "}")):
            try endContainer()
        case (.firstElementOrEnd, _):
            return try readValue(of: bytes, at: start, isLast: isLast)
        case (.firstKeyOrEnd, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
            return try readString(of: bytes, at: start, isLast: isLast, isKey: true)
        case (.colon, UInt8(ascii: ":")):
            expectation = .value
        case (.commaOrEnd, UInt8(ascii: ",")):
            expectation = containers.last == true ? .key : .value
        case (.commaOrEnd, UInt8(ascii: "}")) where containers.last == true:
            try endContainer()
        case (.commaOrEnd, UInt8(ascii: "]")) where containers.last == false:
            try endContainer()
        default:
            throw Self.invalid(complaint(about: bytes[start]))
        }
        return start + 1
    }

    @inlinable func complaint(about byte: UInt8) -> String {
        let found = (0x21...0x7E).contains(byte) ? "\"\(Character(UnicodeScalar(byte)))\"" : "byte \(byte)"
        let wanted =
            switch expectation {
            case .value, .firstElementOrEnd: "a value"
            case .firstKeyOrEnd, .key: "a key in quotes"
            case .colon: "a colon"
            case .commaOrEnd: "a comma or the end of the list"
            case .nothing: "the end"
            }
        return "\(found) where \(wanted) should be"
    }

    // MARK: Values

    @inlinable mutating func readValue(of bytes: Span<UInt8>, at start: Int, isLast: Bool) throws(TreeError) -> Int? {
        switch bytes[start] {
        case UInt8(ascii: "{"):
            try beginContainer(isObject: true)
        case UInt8(ascii: "["):
            try beginContainer(isObject: false)
        case UInt8(ascii: "\""):
            return try readString(of: bytes, at: start, isLast: isLast, isKey: false)
        default:
            return try readWord(of: bytes, at: start, isLast: isLast)
        }
        return start + 1
    }

    @inlinable mutating func beginContainer(isObject: Bool) throws(TreeError) {
        guard containers.count < Self.maxDepth else {
            throw TreeError(
                .tooLarge, "the JSON is nested more than \(Self.maxDepth) levels deep",
                hint: "Store the data less deeply.")
        }
        containers.append(isObject)
        expectation = isObject ? .firstKeyOrEnd : .firstElementOrEnd
        if isObject { try sink.beginObject() } else { try sink.beginArray() }
    }

    @inlinable mutating func endContainer() throws(TreeError) {
        let isObject = containers.popLast() ?? false
        endValue()
        if isObject { try sink.endObject() } else { try sink.endArray() }
    }

    @inlinable mutating func endValue() { expectation = containers.isEmpty ? .nothing : .commaOrEnd }

    /// Reads a number, or true, false or null.
    @inlinable mutating func readWord(of bytes: Span<UInt8>, at start: Int, isLast: Bool) throws(TreeError) -> Int? {
        var end = start
        while end < bytes.count, !bytes[end].endsJSONWord { end += 1 }
        guard end - start <= 1024 else { throw Self.invalid("a number of more than 1024 characters") }
        guard end < bytes.count || isLast else { return nil }
        let word = bytes.extracting(start..<end)
        switch word.text {
        case "true": try sink.bool(true)
        case "false": try sink.bool(false)
        case "null": try sink.null()
        default:
            guard let number = JSONNumber(word) else {
                throw Self.invalid(complaint(about: bytes[start]))
            }
            try sink.number(number)
        }
        endValue()
        return end
    }

    // MARK: Strings

    @inlinable mutating func readString(
        of bytes: Span<UInt8>, at start: Int, isLast: Bool, isKey: Bool
    ) throws(TreeError) -> Int? {
        var end = start + Swift.max(1, scanned)
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count else {
            guard !isLast else { throw Self.invalid("a string has no end") }
            scanned = end - start
            try checkLength(scanned, isKey: isKey)
            return nil
        }
        scanned = 0
        let raw = bytes.extracting(start + 1..<end)
        if raw.needsUnescaping {
            scratch.removeAll(keepingCapacity: true)
            guard JSONText.unescape(raw, to: &scratch) else { throw Self.invalid("a string with a bad escape") }
            let text = scratch
            try handOn(text.span, isKey: isKey)
        } else {
            try handOn(raw, isKey: isKey)
        }
        if isKey { expectation = .colon } else { endValue() }
        return end + 1
    }

    /// Throws if an incomplete string is already too long for any sink, however it is escaped.
    @inlinable func checkLength(_ byteCount: Int, isKey: Bool) throws(TreeError) {
        let longest = isKey ? TreePath.maxDepth * (TreeKey.maxBytes + 1) : TreeValue.maxStringBytes
        let longestEscape = 6
        guard byteCount > longest * longestEscape else { return }
        throw isKey
            ? TreeError(.invalidKey, "a key has more than \(longest) bytes", hint: "Use shorter keys.")
            : TreeError(.tooLarge, "a string has more than \(longest) bytes", hint: "Write less at once.")
    }

    @inlinable mutating func handOn(_ utf8: Span<UInt8>, isKey: Bool) throws(TreeError) {
        guard JSONText.isValidUTF8(utf8) else { throw Self.invalid("a string that is not UTF-8") }
        if isKey { try sink.key(utf8) } else { try sink.string(utf8) }
    }

    @usableFromInline static func invalid(_ complaint: String) -> TreeError {
        TreeError(.invalidJSON, complaint, hint: "Send JSON in UTF-8 (RFC 8259).")
    }
}

extension UInt8 {
    @inlinable var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    @inlinable var endsJSONWord: Bool {
        switch self {
        case 0x00...0x20, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"): true
        case UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"): true
        default: false
        }
    }
}
