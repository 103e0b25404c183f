import Foundation

/// The text of a configuration file, in which settings are replaced and added, and all else stays as it was written.
///
/// The text has been read as a configuration file before, so that it is an object without errors.
struct SettingsText {
    /// A member of the object: its name, and the positions of its name and its value.
    private struct Member {
        let name: String
        let start: Int
        let value: Range<Int>
    }

    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes.contains(UInt8(ascii: "{")) ? bytes : Array("{}\n".utf8) }

    /// Sets a setting to a text.
    mutating func set(_ name: String, to text: String) {
        let value = Self.json(text)
        let (members, end) = members
        let known = members.filter { $0.name == name }
        guard known.isEmpty else {
            for member in known.reversed() { bytes.replaceSubrange(member.value, with: value) }
            return
        }
        let added = Self.json(name) + Array(": ".utf8) + value
        guard let last = members.last else {
            let start = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
            bytes.replaceSubrange(start..<end, with: Array("\n    ".utf8) + added + Array("\n".utf8))
            return
        }
        bytes.insert(contentsOf: Array(",".utf8) + space(before: last) + added, at: last.value.upperBound)
    }

    /// A text as JSON, with slashes as they are.
    static func json(_ text: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map(Array.init) ?? Array("\"\"".utf8)
    }

    /// The space before a member: its line break and its indent; a space if it begins on the line of another.
    private func space(before member: Member) -> [UInt8] {
        var start = member.start
        while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
        let space = bytes[start..<member.start]
        return space.contains(0x0A) ? Array(space) : [0x20]
    }

    /// The members in their order, and the position of the closing brace.
    private var members: ([Member], end: Int) {
        var members: [Member] = []
        var position = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
        while true {
            skipSpace(&position)
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { break }
            let start = position
            skipString(&position)
            let name = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))
            skipSpace(&position)
            position += 1  // The colon.
            skipSpace(&position)
            let value = position
            skipValue(&position)
            members.append(Member(name: name ?? "", start: start, value: value..<position))
            skipSpace(&position)
            if position < bytes.count, bytes[position] == UInt8(ascii: ",") { position += 1 }
        }
        return (members, min(position, bytes.count))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private func skipSpace(_ position: inout Int) {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private func skipString(_ position: inout Int) {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
    }

    private func skipValue(_ position: inout Int) {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                skipString(&position)
                if depth == 0 { return }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                position += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard depth > 0 else { return }
                depth -= 1
                position += 1
                if depth == 0 { return }
            case UInt8(ascii: ",") where depth == 0: return
            case let byte where depth == 0 && Self.isSpace(byte): return
            default: position += 1
            }
        }
    }
}
