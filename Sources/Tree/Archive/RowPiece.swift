import CSystemDeflate

/// Neighbouring rows of a store in the form of an archive: for each row its key and its value, each preceded by its
/// length.
package struct RowPiece: Sendable {
    package let rowCount: Int
    package let bytes: [UInt8]
}

/// Splits the rows of a store into pieces at keys with certain checksums. A piece whose rows have not changed therefore
/// stays identical, whatever is written before it.
///
/// (Content-defined chunking: Muthitacharoen et al., "A Low-bandwidth Network File System", SOSP 2001; by keys instead
/// of bytes.)
struct RowSplitter {
    private static let minBytes = 64 << 10
    private static let maxBytes = 4 << 20
    /// The average number of keys per piece: one key in this many may end a piece.
    private static let keysPerEnd: UInt32 = 512

    private var rows = RowBlock()

    /// Adds a row.
    ///
    /// - Returns: The piece that ends with the row; nil if no piece ends here.
    mutating func add(_ key: Span<UInt8>, _ value: Span<UInt8>) -> RowPiece? {
        rows.append(path: key, value: value)
        let byteCount = rows.bytes.count
        guard byteCount >= Self.minBytes, byteCount >= Self.maxBytes || Self.mayEnd(with: key) else { return nil }
        return finish()
    }

    /// Returns the piece of the remaining rows; nil if there are none.
    mutating func finish() -> RowPiece? {
        guard !rows.isEmpty else { return nil }
        defer { rows = RowBlock() }
        return RowPiece(rowCount: rows.count, bytes: rows.bytes)
    }

    private static func mayEnd(with key: Span<UInt8>) -> Bool {
        key.withUnsafeBufferPointer { libdeflate_crc32(0, $0.baseAddress, $0.count) } % keysPerEnd == 0
    }
}
