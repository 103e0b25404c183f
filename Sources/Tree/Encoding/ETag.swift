import CSystemCrypto

/// Computes a short identifier of a node's value: different values or priorities have different identifiers.
///
/// It is the SHA-256 (FIPS 180-4) of the rows, shortened to 128 bits; `null_etag` if there are none.
struct ETagBuilder: ~Copyable {
    static let nothing = "null_etag"

    private let context: OpaquePointer?
    private var isEmpty = true

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    mutating func add(path: Span<UInt8>, value: Span<UInt8>) {
        isEmpty = false
        add(path)
        add(value)
    }

    private func add(_ run: Span<UInt8>) {
        var length = UInt32(truncatingIfNeeded: run.count).bigEndian
        EVP_DigestUpdate(context, &length, MemoryLayout<UInt32>.size)
        run.withUnsafeBufferPointer { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    /// Returns the ETag of the added rows; the builder must not be used afterwards.
    mutating func finish() -> String {
        guard !isEmpty else { return Self.nothing }
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest.prefix(16).map { byte in
            let hex = String(byte, radix: 16)
            return byte < 16 ? "0" + hex : hex
        }.joined()
    }
}

extension RowBlock {
    /// Returns the ETag of the value that these rows represent.
    func etag() throws(TreeError) -> String {
        var builder = ETagBuilder()
        try forEach { path, value throws(TreeError) in
            builder.add(path: path, value: value)
            return true
        }
        return builder.finish()
    }
}
