import Cryptography

/// A file, a part of a file, or bytes in memory, read from beginning to end.
package struct FileRange: Sendable {
    private static let pieceBytes = 1 << 20

    /// Returns up to `maxBytes` at an offset; empty at the end.
    private let piece: @Sendable (_ offset: Int, _ maxBytes: Int) throws(FileError) -> [UInt8]

    /// - Parameters:
    ///   - start: The offset of the part in the file, in bytes.
    ///   - byteCount: The length of the part, in bytes; nil for the rest of the file.
    package init(_ file: FileReader, at start: Int = 0, byteCount: Int? = nil) {
        piece = { offset, maxBytes throws(FileError) in
            let wanted = byteCount.map { min($0 - offset, maxBytes) } ?? maxBytes
            return wanted > 0 ? try file.read(at: start + offset, maxBytes: wanted) : []
        }
    }

    package init(holding bytes: [UInt8]) {
        piece = { offset, maxBytes in Array(bytes.dropFirst(offset).prefix(maxBytes)) }
    }

    /// Reads all bytes, piece by piece. Blocks.
    ///
    /// - Returns: The number of bytes, and their SHA-256.
    package func read(
        _ take: ([UInt8]) throws(FileError) -> Void
    ) throws(FileError) -> (byteCount: Int, sha256: String) {
        var hash = SHA256()
        var passed = 0
        while true {
            let bytes = try piece(passed, Self.pieceBytes)
            if bytes.isEmpty { return (passed, hash.finish()) }
            bytes.withUnsafeBytes { hash.update($0) }
            try take(bytes)
            passed += bytes.count
        }
    }
}
