/// Writes a message: integers of eight bytes, little-endian, and texts behind their
/// length.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: Int) {
        withUnsafeBytes(of: Int64(value).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: [UInt8]) {
        append(text.count)
        bytes.append(contentsOf: text)
    }

    mutating func append(_ text: String) { append(Array(text.utf8)) }
}

/// An error about a message that is not what it should be.
struct MalformedMessage: Error, Sendable {
    /// The part that is wrong or missing: a noun phrase.
    let what: String
}

/// Reads a message, and believes nothing that its sender says.
struct MessageReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// The length of the longest message, in bytes.
    static let maxBytes = 65_536

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads an integer within bounds.
    mutating func integer(_ what: String, in range: ClosedRange<Int>) throws(MalformedMessage) -> Int {
        guard bytes.endIndex - position >= 8 else { throw MalformedMessage(what: "no \(what)") }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += 8
        guard let value = Int(exactly: Int64(bitPattern: value)), range.contains(value) else {
            throw MalformedMessage(what: "a wrong \(what)")
        }
        return value
    }

    mutating func bool(_ what: String) throws(MalformedMessage) -> Bool { try integer(what, in: 0...1) == 1 }

    /// Reads bytes behind their count.
    mutating func list(_ what: String, maxCount: Int) throws(MalformedMessage) -> [UInt8] {
        let count = try integer("length of \(what)", in: 0...maxCount)
        guard bytes.endIndex - position >= count else { throw MalformedMessage(what: "no \(what)") }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Reads a text in UTF-8; what is no UTF-8 is replaced.
    mutating func text(_ what: String, maxCount: Int) throws(MalformedMessage) -> String {
        String(decoding: try list(what, maxCount: maxCount), as: UTF8.self)
    }

    /// Checks that nothing follows.
    func finish() throws(MalformedMessage) {
        guard position == bytes.endIndex else { throw MalformedMessage(what: "something after the end") }
    }
}
