import CSystemCrypto

/// An RSA key for signing (RS256, RFC 7518 §3.3).
///
/// The key is not revealed when it is printed.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let handle: KeyHandle

    /// Generates a new key of 2048 bits.
    package init() throws(KeyError) {
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { throw KeyError("a key cannot be generated") }
        handle = try KeyHandle(taking: key)
    }

    /// Reads a private key in PEM; it must be an RSA key.
    package init(pem: Secret) throws(KeyError) {
        handle = try PEM.privateKey(pem.text)
        guard handle.isRSA else { throw KeyError("it is not an RSA key") }
    }

    package var description: String { "[hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The key that verifies the signatures of this key.
    package var verificationKey: VerificationKey { VerificationKey(publicKey: handle) }

    /// Returns the private key in PEM (PKCS #8).
    package func pem() throws(KeyError) -> Secret { Secret(try PEM.text(ofPrivateKey: handle)) }

    /// Returns the public key in PEM.
    package func publicPEM() throws(KeyError) -> String { try PEM.text(ofPublicKey: handle) }

    /// The modulus and the exponent, big-endian; nil if libcrypto does not provide them.
    package var publicNumbers: (modulus: [UInt8], exponent: [UInt8])? {
        guard let modulus = handle.number("n"), let exponent = handle.number("e")
        else { return nil }
        return (modulus, exponent)
    }

    /// Signs a message.
    package func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = Int(EVP_PKEY_get_size(handle.pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw KeyError("the key cannot sign") }
        return Array(signature.prefix(count))
    }
}
