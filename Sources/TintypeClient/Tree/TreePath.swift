/// The keys from the root of the tree to a node. All of them are valid.
struct TreePath: Hashable, Sendable {
    /// The largest number of keys.
    static let maxDepth = 32
    /// The longest key, in bytes of UTF-8.
    static let maxKeyBytes = 768

    static let root = TreePath()

    private(set) var keys: [String] = []

    private init() {}

    /// Creates a path from a text such as `events/-P6x`. One slash at the beginning is ignored, and the empty text is
    /// the root.
    ///
    /// An empty key is refused: `events/` would be all events where an app meant one of them and has no id.
    init(_ text: String) throws(TreeInputError) {
        let text = text.utf8.first == UInt8(ascii: "/") ? text.utf8.dropFirst() : text.utf8[...]
        guard !text.isEmpty else { return }
        for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            try append(String(decoding: part, as: UTF8.self))
        }
    }

    /// Returns the path with a key added.
    func child(_ key: String) throws(TreeInputError) -> TreePath {
        var path = self
        try path.append(key)
        return path
    }

    /// Returns the path with those of another one added.
    func appending(_ other: TreePath) throws(TreeInputError) -> TreePath {
        var path = self
        for key in other.keys { try path.append(key) }
        return path
    }

    /// The keys with slashes between them.
    var text: String { keys.joined(separator: "/") }

    private mutating func append(_ key: String) throws(TreeInputError) {
        try Self.check(key)
        guard keys.count < Self.maxDepth else {
            throw TreeInputError(text, "has more than \(Self.maxDepth) keys")
        }
        keys.append(key)
    }

    /// Checks a key.
    static func check(_ key: String) throws(TreeInputError) {
        guard !key.isEmpty else { throw TreeInputError(key, "is not a key: it is empty") }
        guard key.utf8.count <= maxKeyBytes else {
            throw TreeInputError(key, "is not a key: it has more than \(maxKeyBytes) bytes")
        }
        for byte in key.utf8 {
            switch byte {
            case 0..<0x20, 0x7F:
                throw TreeInputError(key, "is not a key: it contains a control character")
            case UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "/"):
                throw TreeInputError(key, "is not a key: it contains \(Unicode.Scalar(byte))")
            default: break
            }
        }
    }
}
