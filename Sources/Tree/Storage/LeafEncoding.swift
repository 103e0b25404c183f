/// Leaves as bytes: a tag, then the payload.
///
///     01               false
///     02               true
///     03 8 bytes       integer, two's complement, big endian
///     04 8 bytes       double, IEEE 754 bit pattern, big endian
///     05 text          string, UTF-8
enum LeafEncoding {
    private static let falseTag: UInt8 = 1
    private static let trueTag: UInt8 = 2
    private static let integerTag: UInt8 = 3
    private static let doubleTag: UInt8 = 4
    private static let stringTag: UInt8 = 5

    /// The bytes of a normalised leaf; nil for objects, which have no bytes of their own.
    static func encode(_ value: TreeValue) -> [UInt8]? {
        switch value {
        case .bool(let bool): [bool ? trueTag : falseTag]
        case .integer(let integer): tagged(integerTag, UInt64(bitPattern: integer))
        case .double(let double): tagged(doubleTag, double.bitPattern)
        case .string(let string): [stringTag] + Array(string.utf8)
        case .object: nil
        }
    }

    private static func tagged(_ tag: UInt8, _ payload: UInt64) -> [UInt8] {
        var bytes = [tag]
        bytes.appendBigEndian(payload)
        return bytes
    }

    static func decode(_ bytes: Span<UInt8>) throws(TreeError) -> TreeValue {
        let tag: UInt8 = try bytes.bigEndian(at: 0)
        switch tag {
        case falseTag: return .bool(false)
        case trueTag: return .bool(true)
        case integerTag: return .integer(Int64(bitPattern: try bytes.bigEndian(at: 1)))
        case doubleTag: return .double(Double(bitPattern: try bytes.bigEndian(at: 1)))
        case stringTag:
            guard let string = String(validating: bytes.extracting(droppingFirst: 1)) else {
                throw TreeError.corrupt("a string in the store is not UTF-8")
            }
            return .string(string)
        default:
            throw TreeError.corrupt("a leaf in the store has the unknown tag \(tag)")
        }
    }
}
