/// A key of the keyboard.
enum Key: Equatable, Sendable {
    case character(Character)
    case enter, escape, backspace, up, down, pageUp, pageDown
    /// Ctrl-C.
    case interrupt
    case unknown
}

/// Makes keys of the bytes that a terminal sends.
struct KeyParser {
    /// The beginning of a character whose other bytes have not arrived.
    private var pending: [UInt8] = []

    /// Returns the keys of further bytes.
    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var (keys, index) = ([Key](), 0)
        while index < pending.count {
            if pending[index] == 0x1B {
                let (key, length) = Self.sequence(pending[index...])
                if let key { keys.append(key) }
                index += length
            } else if let key = Self.control(pending[index]) {
                keys.append(key)
                index += 1
            } else {
                let text = pending[index...].prefix { $0 >= 0x20 && $0 != 0x7F }
                let isLast = index + text.count == pending.count
                let whole = text.dropLast(isLast ? Self.unfinishedCount(text) : 0)
                if whole.isEmpty { break }
                keys += String(decoding: whole, as: UTF8.self).map(Key.character)
                index += whole.count
            }
        }
        pending.removeFirst(index)
        return keys
    }

    /// The number of bytes at the end that begin a character whose other bytes are missing.
    private static func unfinishedCount(_ bytes: ArraySlice<UInt8>) -> Int {
        for (index, byte) in bytes.reversed().prefix(3).enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0D, 0x0A: .enter
        case 0x08, 0x7F: .backspace
        case 0x03: .interrupt
        case 0..<0x20: .unknown
        default: nil
        }
    }

    /// Returns the key of an escape sequence, and the number of its bytes. An escape alone is the key of that name.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> (Key?, Int) {
        let rest = bytes.dropFirst()
        guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return (.escape, 1) }
        let parameters = rest.dropFirst().prefix { (0x20...0x3F).contains($0) }
        guard let final = rest.dropFirst(1 + parameters.count).first else { return (nil, bytes.count) }
        let key: Key? =
            switch (final, parameters.first) {
            case (UInt8(ascii: "A"), _): .up
            case (UInt8(ascii: "B"), _): .down
            case (UInt8(ascii: "~"), UInt8(ascii: "5")): .pageUp
            case (UInt8(ascii: "~"), UInt8(ascii: "6")): .pageDown
            default: nil
            }
        return (key, 3 + parameters.count)
    }
}
