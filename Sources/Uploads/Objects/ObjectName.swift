import Access
import Cryptography
package import Model
package import Tree

/// The name of an object in the bucket: 1 to 1,024 bytes of UTF-8, such as `u1/full/-P1/a.jpg`, checked once and trusted from
/// there (Google Cloud Storage, "About Cloud Storage objects").
///
/// Slashes are characters of it like others. Names are compared by their bytes.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes.
    package static let maxBytes = 1024

    package let description: String

    /// Checks a name that came from outside; nil when it is none.
    package init?(_ text: String) {
        guard (1...Self.maxBytes).contains(text.utf8.count), text != ".", text != "..",
            !text.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) })
        else { return nil }
        description = text
    }

    package static func == (left: ObjectName, right: ObjectName) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    /// Whose folder the object is in: who is named by what stands before the first slash. Nil for an object of nobody.
    package var owner: UserID? {
        guard let slash = description.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return UserID(String(description[..<slash]))
    }
}

/// The names of objects as keys of the tree, in whose order they are listed.
///
/// A name becomes base 64 over an alphabet in ASCII order, so that the order of the keys is that of the names' bytes, in which
/// buckets are listed (Google Cloud Storage, "Objects: list"). No character of it is one that keys refuse, and a letter in front
/// keeps it from being taken for a number. What is too long for one key goes on in a second one; the second is there for
/// every name, as no node has both a value and children.
package enum ObjectKey {
    /// The bytes of a name that are in the first key: a multiple of three, which no digit shares with the second.
    private static let firstBytes = 570
    private static let mark = "n"

    /// The pattern of the records of all objects.
    package static let pattern = ObjectNodes.object.pattern

    /// Where the record of an object stands.
    ///
    /// - Parameter name: The bytes of a name, or of what is between names.
    package static func path(_ name: [UInt8]) -> TreePath {
        ObjectNodes.object() / key(name.prefix(firstBytes)) / key(name.dropFirst(firstBytes))
    }

    package static func path(_ name: ObjectName) -> TreePath { path(Array(name.description.utf8)) }

    /// The name of the object whose record stands at a path; nil for what is none.
    package static func name(at path: TreePath) -> ObjectName? {
        guard path.depth == 3, let first = bytes(path.keys[1]), let rest = bytes(path.keys[2]) else { return nil }
        return String(validating: first + rest, as: UTF8.self).flatMap { ObjectName($0) }
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> TreeKey {
        TreeKey(unchecked: mark + Base64Text.ordered.encode(bytes))
    }

    private static func bytes(_ key: TreeKey) -> [UInt8]? {
        guard key.string.hasPrefix(mark) else { return nil }
        return Base64Text.ordered.decode(key.string.utf8.dropFirst())
    }
}
