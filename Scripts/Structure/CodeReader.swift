/// Swift without comments and without the text of string literals, line by line; interpolated code stays.
struct CodeReader {
    private enum Mode {
        case code(parentheses: Int)
        case string(quotes: Int, hashes: Int)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var modes = [Mode.code(parentheses: 0)]
    private var code: [UInt8] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func lines(of bytes: [UInt8]) -> [Substring] {
        var reader = CodeReader(bytes)
        while reader.position < bytes.count { reader.step() }
        return String(decoding: reader.code, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private func has(_ text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    private func count(_ byte: UInt8, at start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] == byte { end += 1 }
        return end - start
    }

    private mutating func step() {
        switch modes[modes.count - 1] {
        case .code(let parentheses): stepInCode(parentheses)
        case .string(let quotes, let hashes): stepInString(quotes, hashes)
        }
    }

    private mutating func stepInCode(_ parentheses: Int) {
        let byte = bytes[position]
        if has("//") {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            return
        }
        if has("/*") { return skipBlockComment() }
        let hashes = count(UInt8(ascii: "#"), at: position)
        let quotes = count(UInt8(ascii: "\""), at: position + hashes)
        if quotes > 0 {
            // An empty string has two quotes, and ends at once.
            position += hashes + (quotes == 2 ? 2 : min(quotes, 3))
            if quotes == 2 { position += hashes } else { modes.append(.string(quotes: min(quotes, 3), hashes: hashes)) }
            code.append(UInt8(ascii: "\""))
            return
        }
        position += 1
        code.append(byte)
        guard modes.count > 1 else { return }
        if byte == UInt8(ascii: "(") { modes[modes.count - 1] = .code(parentheses: parentheses + 1) }
        if byte == UInt8(ascii: ")") {
            if parentheses == 1 {
                modes.removeLast()
            } else {
                modes[modes.count - 1] = .code(parentheses: parentheses - 1)
            }
        }
    }

    private mutating func stepInString(_ quotes: Int, _ hashes: Int) {
        let byte = bytes[position]
        if byte == UInt8(ascii: "\n") { code.append(byte) }
        if byte == UInt8(ascii: "\\"), count(UInt8(ascii: "#"), at: position + 1) >= hashes {
            position += 1 + hashes
            if position < bytes.count, bytes[position] == UInt8(ascii: "(") {
                modes.append(.code(parentheses: 0))
            } else {
                if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { code.append(UInt8(ascii: "\n")) }
                position += 1
            }
        } else if count(UInt8(ascii: "\""), at: position) >= quotes,
            count(UInt8(ascii: "#"), at: position + quotes) >= hashes
        {
            position += quotes + hashes
            modes.removeLast()
        } else {
            position += 1
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if has("/*") {
                depth += 1
                position += 2
            } else if has("*/") {
                depth -= 1
                position += 2
            } else {
                if bytes[position] == UInt8(ascii: "\n") { code.append(UInt8(ascii: "\n")) }
                position += 1
            }
        } while depth > 0 && position < bytes.count
    }
}
