import CSystemDeflate

/// Some neighbouring rows of a store, as an archive keeps them: each its key, counted, then its value, counted.
package struct RowPiece: Sendable {
    package let rowCount: Int
    package let bytes: [UInt8]
}

/// Cuts the rows of a store into pieces, at keys that have a certain checksum, so that a piece in which nothing has changed
/// is the same again whatever was written before it.
///
/// (Content-defined chunking: Muthitacharoen et al., "A Low-bandwidth Network File System", SOSP 2001; by keys instead of
/// bytes.)
struct RowSplitter {
    private static let minBytes = 64 << 10
    private static let maxBytes = 4 << 20
    /// One key in so many may end a piece.
    private static let keysPerEnd: UInt32 = 512

    private var rows = RowBlock()

    /// Adds a row.
    ///
    /// - Returns: The piece that ends with it.
    mutating func add(_ key: Span<UInt8>, _ value: Span<UInt8>) -> RowPiece? {
        rows.append(path: key, value: value)
        let byteCount = rows.bytes.count
        guard byteCount >= Self.minBytes, byteCount >= Self.maxBytes || Self.mayEnd(with: key) else { return nil }
        return finish()
    }

    /// The piece of the last rows; nil when there are none.
    mutating func finish() -> RowPiece? {
        guard !rows.isEmpty else { return nil }
        defer { rows = RowBlock() }
        return RowPiece(rowCount: rows.count, bytes: rows.bytes)
    }

    private static func mayEnd(with key: Span<UInt8>) -> Bool {
        key.withUnsafeBufferPointer { libdeflate_crc32(0, $0.baseAddress, $0.count) } % keysPerEnd == 0
    }
}
