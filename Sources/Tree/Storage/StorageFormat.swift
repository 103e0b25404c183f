/// How the tree lies in an engine: the ordered map from bytes to bytes that every store is.
///
/// The first byte of a key is its keyspace:
///
///     01 name                → meta: "format" holds the format's version, one byte
///     02 sequence            → change log: sequence in 8 bytes, big endian; the value is described at ``ChangeLog``
///     10 path                → data: one row a leaf, the path as in ``PathEncoding``, the value as in ``LeafEncoding``
///
/// Only leaves have rows. An object is there because leaves are there below it, so that parents vanish with their last
/// child by themselves, and a row never stands both at a path and below it. All rows of a subtree are neighbours, in
/// the protocol's key order.
///
/// Room that is kept free: keyspaces 11–1F (more trees in one engine, indexes), path bytes 01–0F (rows about a node
/// itself, which sort before its children), leaf tags 06–FF (leaves with a priority, small objects packed into a row).
enum StorageFormat {
    static let version: UInt8 = 1
    static let versionKey: [UInt8] = [metaKeyspace] + Array("format".utf8)

    static let metaKeyspace: UInt8 = 0x01
    static let changeLogKeyspace: UInt8 = 0x02
    static let dataKeyspace: UInt8 = 0x10

    /// The row of a leaf at a path.
    static func dataKey(_ path: TreePath) -> [UInt8] {
        var key = [dataKeyspace]
        for segment in path.keys { PathEncoding.append(segment, to: &key) }
        return key
    }

    /// Marks the engine as this format's, or checks that it is.
    ///
    /// - Throws: ``TreeError`` with code `unsupported_format` when a newer version wrote it.
    static func checkVersion(in transaction: any EngineTransaction) throws(TreeError) {
        guard let stored = try transaction.value(for: versionKey) else {
            guard try transaction.isEmpty(.all) else {
                throw TreeError.corrupt("the store has data but no format version")
            }
            return try transaction.put([version], for: versionKey)
        }
        guard stored.count == 1, stored[0] <= version else {
            throw TreeError(
                .unsupportedFormat,
                "the store has format \(stored.map { String($0) }.joined(separator: ".")), this program knows \(version)",
                hint: "use the version that wrote it, or a later one")
        }
    }
}
