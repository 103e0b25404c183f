import CSystemCrypto

/// A key of libcrypto, public or private.
///
/// `@unchecked Sendable`: the key does not change after its creation, its reference count is atomic, and each use has a
/// context of its own, as libcrypto requires of threads that share a key.
package final class KeyHandle: @unchecked Sendable {
    /// The maximum length of an RSA key, in bits; a longer one would make each verification slow.
    package static let maxRSABits: Int32 = 8192
    /// The minimum length of an RSA key, in bits (NIST SP 800-131A).
    static let minRSABits: Int32 = 2048

    let pointer: OpaquePointer

    /// Takes ownership of a key; nil for one that could not be created.
    ///
    /// - Throws: ``KeyError`` for a key that is neither RSA of an acceptable length nor of the curve P-256.
    package init(taking pointer: OpaquePointer?) throws(KeyError) {
        guard let pointer else { throw KeyError("it is not a readable key") }
        self.pointer = pointer
        // From here on, a failure frees the key through `deinit`.
        guard isRSA || isP256 else { throw KeyError("it is a key of a kind that is not supported") }
        guard !isRSA || (Self.minRSABits...Self.maxRSABits).contains(EVP_PKEY_get_bits(pointer)) else {
            throw KeyError("it is an RSA key of \(EVP_PKEY_get_bits(pointer)) bits, not \(Self.minRSABits) to 8192")
        }
    }

    /// Reads a public key as SubjectPublicKeyInfo (RFC 5280 §4.1).
    package convenience init(publicKeyInfo info: [UInt8]) throws(KeyError) {
        try self.init(
            taking: info.withUnsafeBufferPointer { info in
                var start = info.baseAddress
                return d2i_PUBKEY(nil, &start, info.count)
            })
    }

    /// Creates a public key on the curve P-256 from the numbers of its point, of 32 bytes each, big-endian.
    package convenience init(p256X x: [UInt8], y: [UInt8]) throws(KeyError) {
        guard x.count == 32, y.count == 32 else { throw KeyError("it is not a key of the curve P-256") }
        // The point is in its uncompressed form (SEC 1 §2.3.3); libcrypto refuses one that is not on the curve.
        try self.init(publicKeyInfo: DER.sequence(DER.p256, DER.bitString([4] + x + y)))
    }

    deinit { EVP_PKEY_free(pointer) }

    var isRSA: Bool { EVP_PKEY_is_a(pointer, "RSA") == 1 }

    var isP256: Bool {
        guard EVP_PKEY_is_a(pointer, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 64)
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else { return false }
        return ["prime256v1", "P-256"].contains { $0.utf8CString.elementsEqual(name.prefix($0.utf8.count + 1)) }
    }

    /// Returns a parameter of the key, big-endian without leading zeros; nil if it has none of that name.
    func number(_ name: String) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}
