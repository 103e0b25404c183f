import Glibc

/// A name in a file system: 1 to 255 bytes that need not be text.
public struct RawName: Hashable, Comparable, Sendable {
    /// The bytes, none of which is `/` or NUL.
    public let bytes: [UInt8]

    /// Creates a name from text.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The name as text; nil if it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The name as text in any case: each byte that is not part of valid text is written as `%XX`.
    public var escaped: String {
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            let character = (1...4).lazy.compactMap { length -> (String, Int)? in
                guard length <= rest.count, let text = String(validating: rest.prefix(length), as: UTF8.self) else {
                    return nil
                }
                return (text, length)
            }.first
            if let (character, length) = character {
                text += character
                rest = rest.dropFirst(length)
            } else {
                text += "%" + String(byte, radix: 16, uppercase: true)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Returns the name with a suffix.
    public func appending(_ text: String) -> RawName { RawName(bytes: bytes + text.utf8) }

    /// Compares names byte by byte.
    public static func < (one: RawName, other: RawName) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    func withCString<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        let characters = bytes.map { CChar(bitPattern: $0) } + [0]
        return characters.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return body("") }
            return body(start)
        }
    }
}

/// Checks that a name is a single component, which cannot lead out of the folder in which it is looked up.
///
/// - Throws: `FileError`, `bad_name`.
func checkFileName(_ name: String) throws(FileError) {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
        throw FileError(.badName, "\"\(name)\" is not the name of a file", hint: "Use one name without / in it.")
    }
}
