import Concurrency
import Cryptography
import Files

/// A digest by which the bytes of a file are verified.
package enum FileDigest: Sendable, Hashable {
    /// 64 hexadecimal digits.
    case sha256(String)
    /// The checksums with which clients of a bucket compare objects: MD5, 16 bytes, and CRC-32C, 4 bytes.
    case checksums(md5: [UInt8], crc32c: [UInt8])

    private static let pieceBytes = 1 << 18

    /// Reads a file and returns whether its bytes have this digest.
    ///
    /// - Parameter limiter: The limit on the rate, in bytes.
    func matches(_ file: FileReader, at limiter: RateLimiter) async throws -> Bool {
        switch self {
        case .sha256(let digest): return try await Self.sha256(of: file, at: limiter) == digest
        case .checksums(let md5, let crc32c):
            var checksums = ObjectChecksums()
            try await Self.forEachPiece(of: file, at: limiter) { checksums.update($0) }
            let found = checksums.finish()
            return found.md5 == md5 && found.crc32c == crc32c
        }
    }

    /// Returns the SHA-256 of a file, as 64 hexadecimal digits.
    static func sha256(of file: FileReader, at limiter: RateLimiter) async throws -> String {
        var hash = SHA256()
        try await forEachPiece(of: file, at: limiter) { hash.update($0) }
        return hash.finish()
    }

    private static func forEachPiece(
        of file: FileReader, at limiter: RateLimiter, _ take: (UnsafeRawBufferPointer) -> Void
    ) async throws {
        var offset = 0
        while true {
            try Task.checkCancellation()
            let start = offset
            let bytes = try await FileThreads.run { () throws(FileError) in
                try file.read(at: start, maxBytes: pieceBytes)
            }
            guard !bytes.isEmpty else { return }
            bytes.withUnsafeBytes { take($0) }
            offset += bytes.count
            try await limiter.pass(bytes.count)
        }
    }
}
