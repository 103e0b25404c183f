import CSystemCrypto

/// The supported signature algorithms (RFC 7518 §3.1).
package enum SignatureAlgorithm: String, Sendable, Hashable {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"
    /// HMAC with SHA-256.
    case hs256 = "HS256"
}

/// A key that verifies signatures.
///
/// The key determines the algorithm, never the token (RFC 8725 §3.1): an RSA key cannot be used as the secret of an
/// HMAC.
package struct VerificationKey: Sendable {
    private enum Material: Sendable {
        case rsa(KeyHandle)
        case p256(KeyHandle)
        case secret(Secret)
    }

    private let material: Material

    /// Creates a key from a public key, RSA or on the curve P-256.
    package init(publicKey handle: KeyHandle) { material = handle.isRSA ? .rsa(handle) : .p256(handle) }

    /// Creates a key from a shared secret.
    package init(secret: Secret) { material = .secret(secret) }

    /// Reads a key in PEM: a public key, or that of an X.509 certificate, whose other contents are ignored.
    package init(pem: String) throws(KeyError) { self.init(publicKey: try PEM.publicKey(pem)) }

    /// The only algorithm for which the key is used.
    package var algorithm: SignatureAlgorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        case .secret: .hs256
        }
    }

    /// Whether a signature was made by this key for this message.
    package func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key):
            Self.isSignature(signature, of: message, by: key)
        case .p256(let key):
            ECDSASignature.der(signature).map { Self.isSignature($0, of: message, by: key) } ?? false
        case .secret(let secret):
            Digest.areEqual(signature, Digest.hmacSHA256(message, key: Array(secret.text.utf8)))
        }
    }

    /// Whether an ECDSA signature in DER (RFC 3279 §2.2.3) was made by this key for this message; false for a key that is
    /// not of the curve P-256.
    package func isDERSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard case .p256(let key) = material else { return false }
        return Self.isSignature(signature, of: message, by: key)
    }

    private static func isSignature(_ signature: [UInt8], of message: [UInt8], by key: KeyHandle) -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        else {
            ERR_clear_error()
            return false
        }
        return true
    }
}

/// The two numbers of an ECDSA signature on P-256.
enum ECDSASignature {
    /// Converts a signature from the form in tokens, 32 bytes for each number (RFC 7518 §3.4), to the form that
    /// libcrypto reads (RFC 3279 §2.2.3); nil if it is malformed.
    static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64 else { return nil }
        return DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))
    }
}
