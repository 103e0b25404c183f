/// The encoding of values as bytes in the protocol's order of values: null, false, true, numbers, strings, objects.
///
///     01               null: no value exists
///     02, 03           false, true
///     04 8 bytes       a number as a double, its bits transformed so that they sort as unsigned bytes
///     05 text 00       a string in CESU-8 (the order of UTF-16 code units), its first bytes; of these, 00 is written
///                      01 01, and 01 is 01 02 (``TreeQuery/maxComparedBytes``)
///     06               an object
///
/// The encoding is prefix-free. Numbers compare as doubles: two numbers that differ beyond 2⁵³ may be equal here, and
/// so are strings whose first ``TreeQuery/maxComparedBytes`` bytes are the same. Equal values are ordered by the
/// child's key, which follows.
enum OrderedValue {
    private static let nullTag: UInt8 = 1
    private static let falseTag: UInt8 = 2
    private static let trueTag: UInt8 = 3
    private static let numberTag: UInt8 = 4
    private static let stringTag: UInt8 = 5
    private static let objectTag: UInt8 = 6
    private static let escape: UInt8 = 1

    static func appendNull(to bytes: inout [UInt8]) { bytes.append(nullTag) }

    static func appendObject(to bytes: inout [UInt8]) { bytes.append(objectTag) }

    /// Appends a stored leaf.
    static func append(leaf: Span<UInt8>, to bytes: inout [UInt8]) throws(TreeError) {
        switch leaf.isEmpty ? 0 : leaf[0] {
        case LeafEncoding.falseTag: bytes.append(falseTag)
        case LeafEncoding.trueTag: bytes.append(trueTag)
        case LeafEncoding.integerTag: append(Double(Int64(bitPattern: try leaf.bigEndian(at: 1))), to: &bytes)
        case LeafEncoding.doubleTag: append(Double(bitPattern: try leaf.bigEndian(at: 1)), to: &bytes)
        case LeafEncoding.stringTag: append(string: leaf.extracting(droppingFirst: 1), to: &bytes)
        default: throw TreeError.corrupt("a leaf in the store has an unknown tag")
        }
    }

    private static func append(_ number: Double, to bytes: inout [UInt8]) {
        let bits = number.bitPattern
        bytes.append(numberTag)
        bytes.appendBigEndian(number.sign == .minus ? ~bits : bits | 1 << 63)
    }

    private static func append(string utf8: Span<UInt8>, to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        // CESU-8 is never shorter than UTF-8, so a character that is cut here is beyond the bytes that are kept.
        CESU8.append(utf8.extracting(first: TreeQuery.maxComparedBytes + 4), to: &text)
        bytes.append(stringTag)
        for byte in text.prefix(TreeQuery.maxComparedBytes) {
            if byte <= escape { bytes.append(escape) }
            bytes.append(byte <= escape ? byte + 1 : byte)
        }
        bytes.append(0)
    }

    /// Returns the end of the value that begins at an offset.
    static func end(in bytes: Span<UInt8>, from start: Int) throws(TreeError) -> Int {
        let tag: UInt8 = try bytes.bigEndian(at: start)
        switch tag {
        case nullTag, falseTag, trueTag, objectTag: return start + 1
        case numberTag where start + 9 <= bytes.count: return start + 9
        case stringTag:
            for index in start..<bytes.count where bytes[index] == 0 { return index + 1 }
            fallthrough
        default: throw TreeError.corrupt("an index in the store has a malformed entry")
        }
    }
}
