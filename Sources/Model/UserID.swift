package import TreeModel

/// The id of a person: 1 to 128 ASCII letters, digits, `_` and `-`, checked once and trusted from there.
///
/// Other texts are refused and never cleaned: an id is a key of the tree and the name of a folder.
package struct UserID: Hashable, Sendable, CustomStringConvertible {
    /// The id as it was given.
    package let description: String
    /// The id as a key of the tree.
    package let key: TreeKey

    /// Checks an id from outside; nil if it is invalid.
    package init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, (1...128).contains(text.utf8.count), let key = try? TreeKey(text) else { return nil }
        description = text
        self.key = key
    }
}

extension UserID: TextFieldValue {}

/// The id of a post, and of its upload: a push id, ordered by time.
package typealias PostID = PushID
