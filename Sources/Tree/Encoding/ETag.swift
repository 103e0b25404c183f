import CSystemCrypto

/// A short name of what is at a node: another value, or another priority, has another one.
///
/// SHA-256 (FIPS 180-4) of the rows, shortened to 128 bits; `null_etag` for nothing.
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

    /// The name of all rows that were added; ends the run.
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
    /// The name of the value that these rows are.
    func etag() throws(TreeError) -> String {
        var builder = ETagBuilder()
        try forEach { path, value throws(TreeError) in
            builder.add(path: path, value: value)
            return true
        }
        return builder.finish()
    }
}
