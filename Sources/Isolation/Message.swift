/// Writes a message: integers of eight bytes, little-endian, and texts preceded by their length.
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

/// An error about a malformed message.
struct MalformedMessage: Error, Sendable {
    /// The part that is wrong or missing, as a noun phrase.
    let what: String
}

/// Reads a message and validates every value, since its sender is not trusted.
struct MessageReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// The maximum length of a message, in bytes.
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

    /// Reads bytes preceded by their count.
    mutating func list(_ what: String, maxCount: Int) throws(MalformedMessage) -> [UInt8] {
        let count = try integer("length of \(what)", in: 0...maxCount)
        guard bytes.endIndex - position >= count else { throw MalformedMessage(what: "no \(what)") }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Reads a UTF-8 text; invalid bytes are replaced.
    mutating func text(_ what: String, maxCount: Int) throws(MalformedMessage) -> String {
        String(decoding: try list(what, maxCount: maxCount), as: UTF8.self)
    }

    /// Throws if bytes follow.
    func finish() throws(MalformedMessage) {
        guard position == bytes.endIndex else { throw MalformedMessage(what: "bytes after the end") }
    }
}
