import CSystemCrypto

/// An incremental digest of bytes, with an algorithm that clients may choose.
///
/// `@unchecked Sendable`: the context has one owner, this value, which cannot be copied.
package struct MessageDigest: ~Copyable, @unchecked Sendable {
    /// The algorithms. MD5 and SHA-1 only detect accidental damage; they do not provide security.
    package enum Algorithm: String, CaseIterable, Sendable {
        /// RFC 1321.
        case md5
        /// FIPS 180-4.
        case sha1
        /// FIPS 180-4.
        case sha256

        /// The size of a digest, in bytes.
        package var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            }
        }

        fileprivate var implementation: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            }
        }
    }

    private let algorithm: Algorithm
    private let context: OpaquePointer?
    /// Whether all calls of libcrypto have succeeded; it may be configured without MD5.
    private var isValid: Bool

    package init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        context = EVP_MD_CTX_new()
        isValid = EVP_DigestInit_ex(context, algorithm.implementation, nil) == 1
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard isValid else { return }
        isValid = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    /// Finishes the computation, and returns the digest; nil if libcrypto cannot compute it.
    package mutating func finish() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: algorithm.byteCount)
        guard isValid, EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return nil }
        isValid = false
        return digest
    }
}
