import API
import Cryptography
import Files
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of a request with raw bytes of an upload; its checksum is verified if one was sent.
struct ResumableBody {
    private let announced: Int?
    private var chunks: RequestBody.AsyncIterator
    private var byteCount = 0
    private let expected: [UInt8]
    private var digest: MessageDigestBox?

    /// Begins to read the body.
    init(_ request: Request, checksum: UploadChecksum?) {
        announced = request.headers[.contentLength].flatMap { Int($0) }
        chunks = request.body.makeAsyncIterator()
        expected = checksum?.digest ?? []
        digest = checksum.map { MessageDigestBox($0.algorithm) }
    }

    /// Returns the next bytes; nil when the body is complete, and its checksum is right.
    ///
    /// - Throws: `Failure`: `bad_request` if the connection ended too early, `checksum_mismatch`; `CancellationError`
    ///   when another request continues the upload; the connection's errors.
    mutating func next() async throws -> ByteBuffer? {
        while let buffer = try await chunks.next(isolation: #isolation) {
            byteCount += buffer.readableBytes
            digest?.update(buffer)
            if buffer.readableBytes > 0 { return buffer }
        }
        try Task.checkCancellation()
        if let announced, announced != byteCount {
            throw Failure(.badRequest, "the body ended after \(byteCount) of \(announced) bytes")
        }
        if let digest, digest.finish() != expected {
            throw Failure(
                .checksumMismatch, "the bytes do not match the checksum, and none of them is kept",
                hint: "Send them again.")
        }
        return nil
    }
}

/// A digest in a value that can be copied; all copies share it.
private final class MessageDigestBox {
    private var digest: MessageDigest

    init(_ algorithm: MessageDigest.Algorithm) { digest = MessageDigest(algorithm) }

    func update(_ buffer: ByteBuffer) { buffer.withUnsafeReadableBytes { digest.update($0) } }

    func finish() -> [UInt8]? { digest.finish() }
}
