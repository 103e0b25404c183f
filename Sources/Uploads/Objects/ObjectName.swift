import Access
import Cryptography
package import Model
package import Tree

/// The name of an object in the bucket: 1 to 1,024 bytes of UTF-8, such as `u1/full/-P1/a.jpg` (Google Cloud Storage,
/// "About Cloud Storage objects"). A value of this type has been checked.
///
/// Slashes are ordinary characters. Names are compared by their bytes.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
    /// The largest size of a name, in bytes.
    package static let maxBytes = 1024

    package let description: String

    /// Checks a name from an external source; nil if it is invalid.
    package init?(_ text: String) {
        guard (1...Self.maxBytes).contains(text.utf8.count), text != ".", text != "..",
            !text.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) })
        else { return nil }
        description = text
    }

    package static func == (left: ObjectName, right: ObjectName) -> Bool {
        left.description.hasSameBytes(as: right.description)
    }

    /// The user whose folder the object is in: the part before the first slash. Nil if the object has no owner.
    package var owner: UserID? {
        guard let slash = description.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return UserID(String(description[..<slash]))
    }
}

/// The names of objects as keys of the tree.
///
/// A name is encoded as base 64 over an alphabet in ASCII order, so that keys sort like the bytes of the names, which
/// is the order of listings (Google Cloud Storage, "Objects: list"). The alphabet contains only characters that are
/// valid in keys, and a leading letter keeps a key from being read as a number. A name that is too long for one key
/// continues in a second one; every name has the second key, because a node cannot have both a value and children.
package enum ObjectKey {
    /// The number of a name's bytes in the first key: a multiple of three, so that no digit is shared with the second
    /// key.
    private static let firstBytes = 570
    private static let mark = "n"

    /// The path pattern of the records of all objects.
    package static let pattern = ObjectNodes.object.pattern

    /// Returns the path of an object's record.
    ///
    /// - Parameter name: The bytes of a name, or of a position between names.
    package static func path(_ name: [UInt8]) -> TreePath {
        ObjectNodes.object() / key(name.prefix(firstBytes)) / key(name.dropFirst(firstBytes))
    }

    package static func path(_ name: ObjectName) -> TreePath { path(Array(name.description.utf8)) }

    /// Returns the name of the object whose record is at a path; nil if the path is not that of a record.
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
