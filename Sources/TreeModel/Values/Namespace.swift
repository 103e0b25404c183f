/// The name of a tree. One engine contains many trees, which are separate except for the common order of their changes.
///
/// A namespace exists as soon as something is written to it. One multi-path update may write to several.
public struct Namespace: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes.
    public static let maxBytes = 64
    /// The tree that is used when none is named.
    public static let main = Namespace(unchecked: "")

    /// The name; empty for ``main``.
    public let name: String

    /// Checks an external name: 1 to ``maxBytes`` of the lower-case letters a–z, digits, `-` and `_`.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key`.
    public init(_ name: String) throws(TreeError) {
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isValid, (1...Self.maxBytes).contains(name.utf8.count) else {
            throw TreeError(
                .invalidKey, "\"\(name)\" is not a valid name of a namespace",
                hint: "Use 1 to \(Self.maxBytes) of a–z, 0–9, - and _.")
        }
        self.init(unchecked: name)
    }

    /// Creates a namespace that cannot be named from outside: its name has a character that ``init(_:)`` refuses.
    package init(reserved name: StaticString) { self.init(unchecked: ".\(name)") }

    package init(unchecked name: String) { self.name = name }

    /// Whether the namespace cannot be named from outside.
    package var isReserved: Bool { name.utf8.first == UInt8(ascii: ".") }

    /// The name.
    public var description: String { name }
}
