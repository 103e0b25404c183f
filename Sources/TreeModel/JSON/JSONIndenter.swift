/// Formats JSON with line breaks and an indentation of two spaces, replacing its own white space. The text may be given
/// in pieces of any length.
package struct JSONIndenter {
    private var level = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether a container has just begun, so that it may be empty.
    private var hasJustBegun = false

    package init() {}

    /// Returns the next piece of the text in formatted form.
    package mutating func indent(_ json: [UInt8]) -> [UInt8] {
        var pretty: [UInt8] = []
        pretty.reserveCapacity(json.count * 2)
        for byte in json {
            if isInString {
                keep(byte, &pretty)
            } else if !Self.isSpace(byte) {
                take(byte, &pretty)
            }
        }
        return pretty
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private mutating func keep(_ byte: UInt8, _ pretty: inout [UInt8]) {
        pretty.append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    private mutating func take(_ byte: UInt8, _ pretty: inout [UInt8]) {
        let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
        if isEnd { level -= 1 }
        if isEnd != hasJustBegun { breakLine(&pretty) }
        hasJustBegun = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
        if hasJustBegun { level += 1 }
        isInString = byte == UInt8(ascii: "\"")
        pretty.append(byte)
        if byte == UInt8(ascii: ",") { breakLine(&pretty) }
        if byte == UInt8(ascii: ":") { pretty.append(UInt8(ascii: " ")) }
    }

    private func breakLine(_ pretty: inout [UInt8]) {
        pretty.append(UInt8(ascii: "\n"))
        pretty.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * max(level, 0)))
    }
}
