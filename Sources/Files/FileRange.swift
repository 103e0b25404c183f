import Cryptography

/// The bytes of a file, or of a part of one, or bytes in memory, to be read from their beginning to their end.
package struct FileRange: Sendable {
    private static let pieceBytes = 1 << 20

    /// Up to so many bytes at an offset; none at the end.
    private let piece: @Sendable (_ offset: Int, _ maxBytes: Int) throws(FileError) -> [UInt8]

    /// - Parameters:
    ///   - start: Where it begins, in bytes.
    ///   - byteCount: Its length in bytes; nil for all that follows.
    package init(_ file: FileReader, at start: Int = 0, byteCount: Int? = nil) {
        piece = { offset, maxBytes throws(FileError) in
            let wanted = byteCount.map { min($0 - offset, maxBytes) } ?? maxBytes
            return wanted > 0 ? try file.read(at: start + offset, maxBytes: wanted) : []
        }
    }

    package init(holding bytes: [UInt8]) {
        piece = { offset, maxBytes in Array(bytes.dropFirst(offset).prefix(maxBytes)) }
    }

    /// Reads all of it, piece by piece. Blocks.
    ///
    /// - Returns: How many bytes there were, and their SHA-256.
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
