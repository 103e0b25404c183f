import Concurrency
import Cryptography
import Files

/// What the bytes of a file are known by.
package enum FileDigest: Sendable, Hashable {
    /// 64 hexadecimal digits.
    case sha256(String)
    /// What clients of a bucket compare objects by: 16 bytes and 4.
    case checksums(md5: [UInt8], crc32c: [UInt8])

    private static let pieceBytes = 1 << 18

    /// Reads a file and tells whether it has these bytes.
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

    /// The SHA-256 of a file, 64 hexadecimal digits.
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
