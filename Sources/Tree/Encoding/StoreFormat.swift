/// The layout of trees in an engine, which is an ordered map from bytes to bytes.
///
/// The first byte of a key is its keyspace:
///
///     01 name                → meta: "format" holds the format's version, one byte; "rules" 00 name, a tree's rules
///                              document; "catalog" 00 name, the indexes that the rules define (``RulesCatalog``);
///                              "cursor" 00 name 00 id, the progress of an index; "staged", a ``StagedSubtree``
///     02 sequence            → change log: sequence in 8 bytes, big endian; see ``ChangeLog``
///     10 path                → the main tree: one row per leaf, the path as in ``PathEncoding``, the value as in
///                              ``LeafEncoding``
///     11 name 00 path        → the other trees, likewise
///     12 name 00 …           → entries of indexes; see ``Index``
///     13, 14                 → the times at which nodes expire; see ``ExpiryTable``
///     15 key                 → staging: rows that will be moved to that key; see ``StagedSubtree``
///
/// Only leaves and priorities have rows. An object exists as long as there are leaves below it, so that a parent
/// vanishes with its last child, and a leaf never has other leaves below it. The rows of a subtree are contiguous, in
/// the protocol's key order.
///
/// Reserved for extensions: keyspaces 16–1F, path bytes 02–0F (more rows about a node itself), leaf tags 0A–FF (small
/// objects packed into a row).
enum StoreFormat {
    static let version: UInt8 = 2
    /// The version while a subtree is staged, so that programs without support for staging refuse the store.
    static let versionWhileStaged: UInt8 = 3
    static let versionKey: [UInt8] = [metaKeyspace] + Array("format".utf8)

    static let metaKeyspace: UInt8 = 0x01
    static let changeLogKeyspace: UInt8 = 0x02
    static let mainKeyspace: UInt8 = 0x10
    static let namedKeyspace: UInt8 = 0x11
    static let indexKeyspace: UInt8 = 0x12
    static let expiryByTimeKeyspace: UInt8 = 0x13
    static let expiryByPathKeyspace: UInt8 = 0x14
    static let stagingKeyspace: UInt8 = 0x15
    static let stagingRange = ByteRange(from: [stagingKeyspace], upTo: [stagingKeyspace + 1])

    /// Returns the prefix of the keys of all rows of a tree.
    static func prefix(of namespace: Namespace) -> [UInt8] {
        namespace == .main ? [mainKeyspace] : [namedKeyspace] + Array(namespace.name.utf8) + [0]
    }

    /// Returns the name of the tree with this key prefix; empty for the main tree.
    static func name(ofTree prefix: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        prefix.first == mainKeyspace ? [] : prefix.dropFirst().dropLast()
    }

    /// Returns the key of a meta row of one tree.
    static func metaKey(_ name: StaticString, of namespace: Namespace) -> [UInt8] {
        [metaKeyspace] + Array("\(name)".utf8) + [0] + Array(namespace.name.utf8)
    }

    /// Returns the key of the row of a leaf at a path.
    static func dataKey(_ path: TreePath) -> [UInt8] {
        var key = prefix(of: path.namespace)
        for segment in path.keys { PathEncoding.append(segment, to: &key) }
        return key
    }

    /// Returns the length of the prefix of a tree's keys.
    static func prefixLength(of key: Span<UInt8>) throws(TreeError) -> Int {
        guard !key.isEmpty else { throw malformed }
        switch key[0] {
        case mainKeyspace: return 1
        case namedKeyspace:
            for index in key.indices where key[index] == 0 { return index + 1 }
            throw malformed
        default: throw malformed
        }
    }

    /// Returns the path of a row.
    static func path(ofDataKey key: Span<UInt8>) throws(TreeError) -> TreePath {
        TreePath(
            try PathEncoding.decodeKeys(key.extracting(droppingFirst: try prefixLength(of: key))),
            in: try namespace(ofDataKey: key))
    }

    /// Returns the tree of a row.
    static func namespace(ofDataKey key: Span<UInt8>) throws(TreeError) -> Namespace {
        let length = try prefixLength(of: key)
        return length == 1 ? .main : Namespace(unchecked: key.extracting(1..<length - 1).text)
    }

    /// Marks an empty engine with the format version, or checks the version.
    ///
    /// - Throws: ``TreeError`` with code `unsupported_format` if another version wrote the store.
    static func checkVersion(in transaction: any EngineTransaction) throws(TreeError) {
        guard let stored = try transaction.value(for: versionKey) else {
            guard try transaction.isEmpty(.all) else {
                throw TreeError.corrupt("the store has data but no format version")
            }
            return try transaction.put([version], for: versionKey)
        }
        guard stored == [version] || stored == [versionWhileStaged] else {
            throw TreeError(
                .unsupportedFormat,
                "the store has format \(stored.map { String($0) }.joined(separator: ".")); supported is \(version)",
                hint: "Use the version that wrote the store.")
        }
    }

    private static var malformed: TreeError { .corrupt("a key in the store is malformed") }
}
