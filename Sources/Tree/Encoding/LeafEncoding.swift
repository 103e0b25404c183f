/// The encoding of leaves as bytes: a tag, then the payload.
///
///     01               false
///     02               true
///     03 8 bytes       integer, two's complement, big endian
///     04 8 bytes       double, IEEE 754 bit pattern, big endian
///     05 text          string, UTF-8
///
/// On their way to the store, leaves may also be server values, which are resolved at the commit:
///
///     06 8 bytes 00    the time of the commit, in milliseconds since 1970
///     07, 08 8 bytes   the current number, plus this integer or double
///     09 8 bytes 00    the position in the change log just after the commit
///
/// Each number has one encoding: whole numbers that fit into 64 bits are integers.
enum LeafEncoding {
    static let falseTag: UInt8 = 1
    static let trueTag: UInt8 = 2
    static let integerTag: UInt8 = 3
    static let doubleTag: UInt8 = 4
    static let stringTag: UInt8 = 5
    static let timestampTag: UInt8 = 6
    static let incrementIntegerTag: UInt8 = 7
    static let incrementDoubleTag: UInt8 = 8
    static let positionTag: UInt8 = 9

    /// Encodes a normalised leaf; nil for objects, which have no encoding of their own.
    static func encode(_ value: TreeValue) -> [UInt8]? {
        switch value {
        case .bool(let bool): [bool ? trueTag : falseTag]
        case .integer(let integer): encode(integer)
        case .double(let double): encode(double)
        case .string(let string): [stringTag] + Array(string.utf8)
        case .object: nil
        }
    }

    static func encode(_ integer: Int64, tag: UInt8 = integerTag) -> [UInt8] {
        var bytes = [tag]
        bytes.appendBigEndian(integer)
        return bytes
    }

    /// Encodes a finite number, as an integer if it is whole.
    static func encode(_ double: Double) -> [UInt8] {
        if let integer = Int64(exactly: double) { return encode(integer) }
        return encode(Int64(bitPattern: double.bitPattern), tag: doubleTag)
    }

    /// Encodes a finite number that will be added to the current value.
    static func encode(incrementBy double: Double) -> [UInt8] {
        if let integer = Int64(exactly: double) { return encode(integer, tag: incrementIntegerTag) }
        return encode(Int64(bitPattern: double.bitPattern), tag: incrementDoubleTag)
    }

    /// Encodes a server value.
    static func encode(_ value: ServerValue) -> [UInt8] {
        switch value {
        case .timestamp: encode(0, tag: timestampTag)
        case .position: encode(0, tag: positionTag)
        }
    }

    static func decode(_ bytes: Span<UInt8>) throws(TreeError) -> TreeValue {
        let tag: UInt8 = try bytes.bigEndian(at: 0)
        switch tag {
        case falseTag: return .bool(false)
        case trueTag: return .bool(true)
        case integerTag, incrementIntegerTag: return .integer(Int64(bitPattern: try bytes.bigEndian(at: 1)))
        case doubleTag, incrementDoubleTag: return .double(Double(bitPattern: try bytes.bigEndian(at: 1)))
        case stringTag:
            guard let string = String(validating: bytes.extracting(droppingFirst: 1)) else {
                throw TreeError.corrupt("a string in the store is not UTF-8")
            }
            return .string(string)
        default:
            throw TreeError.corrupt("a leaf in the store has the unknown tag \(tag)")
        }
    }

    /// Decodes the value of a row; an error for damage includes the row.
    static func decode(_ leaf: [UInt8], ofRow key: [UInt8]) throws(TreeError) -> TreeValue {
        do {
            return try decode(leaf.span)
        } catch {
            throw error.met(inRow: key.span, leaf.span)
        }
    }

    /// Checks that a leaf can be read.
    ///
    /// - Throws: ``TreeError`` with code `corrupt`.
    static func check(_ bytes: Span<UInt8>) throws(TreeError) {
        guard !bytes.isEmpty, bytes[0] == stringTag else { return _ = try decode(bytes) }
        guard (try? UTF8Span(validating: bytes.extracting(droppingFirst: 1))) != nil else {
            throw TreeError.corrupt("a string in the store is not UTF-8")
        }
    }

    /// Whether a leaf is a server value.
    static func isServerValue(_ leaf: Span<UInt8>) -> Bool { !leaf.isEmpty && leaf[0] >= timestampTag }

    /// Resolves a server value.
    ///
    /// - Parameters:
    ///   - leaf: The leaf; its length does not change.
    ///   - old: The current value; nil if none exists. Increments treat other values than numbers as 0.
    ///   - timestamp: The time of the commit.
    ///   - token: The position in the change log just after the commit.
    /// - Throws: ``TreeError`` with code `invalid_value` if the sum is beyond the range of numbers.
    static func resolve(
        _ leaf: Span<UInt8>, old: [UInt8]?, timestamp: Timestamp, token: SyncToken
    ) throws(TreeError) -> [UInt8] {
        if leaf[0] == timestampTag { return encode(timestamp.milliseconds) }
        if leaf[0] == positionTag { return encode(Int64(clamping: token.sequence)) }
        let difference = try decode(leaf)
        let base = try old.map { bytes throws(TreeError) in try decode(bytes.span) }
        if let a = difference.integerValue, let b = base?.doubleValue == nil ? 0 : base?.integerValue {
            let (sum, isBeyond) = a.addingReportingOverflow(b)
            if !isBeyond { return encode(sum) }
        }
        let sum = (difference.doubleValue ?? 0) + (base?.doubleValue ?? 0)
        guard sum.isFinite else {
            throw TreeError(.invalidValue, "the sum is beyond the largest number", hint: "Increment by less.")
        }
        return encode(sum)
    }
}
