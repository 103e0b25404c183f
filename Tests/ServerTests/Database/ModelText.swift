/// A key or a string of the model, compared as the protocol compares them: by UTF-16 code units, nothing composed.
struct ModelText: Hashable, Sendable, ExpressibleByStringLiteral {
    let units: [UInt16]

    init(_ string: String) { units = Array(string.utf16) }
    init(stringLiteral value: String) { self.init(value) }

    var string: String { String(decoding: units, as: UTF16.self) }

    /// Whether the text is a valid key of the tree, by the protocol's rules.
    var isKey: Bool {
        let forbidden = Set(".$#[]/".utf16)
        return !units.isEmpty && string.utf8.count <= 768
            && units.allSatisfy { !forbidden.contains($0) && $0 >= 0x20 && $0 != 0x7F }
    }

    /// The number of a key that is a 32-bit integer: `^-?0*\d{1,10}$`.
    var integer: Int? {
        guard let integer = Int(string), !string.hasPrefix("+"), Int32(exactly: integer) != nil else { return nil }
        return integer
    }

    /// The index of a key that an array may have.
    var index: Int? { integer.flatMap { $0 >= 0 && "\($0)" == string ? $0 : nil } }

    /// Whether the text comes first in the order of strings.
    func precedes(_ other: ModelText) -> Bool { units.lexicographicallyPrecedes(other.units) }

    /// Whether the text comes first in the order of keys (`nameCompare` of the JavaScript client).
    func precedesAsKey(_ other: ModelText) -> Bool {
        switch (integer, other.integer) {
        case (let a?, let b?) where a != b: a < b
        case (_?, _?) where units.count != other.units.count: units.count < other.units.count
        case (_?, nil): true
        case (nil, _?): false
        default: precedes(other)
        }
    }
}

/// The keys from the root to a node.
typealias ModelPath = [ModelText]

extension ModelPath {
    /// The path with a slash before each key; "/" for the root.
    var slashed: String { isEmpty ? "/" : map { "/\($0.string)" }.joined() }
    /// The path as a key of a multi-path update.
    var relative: String { map(\.string).joined(separator: "/") }
}
