import CSystemCrypto

/// An RSA key that signs (RS256, RFC 7518 §3.3).
///
/// However it is printed, it does not say what it is.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let handle: KeyHandle

    /// Makes a new key of 2048 bits.
    package init() throws(KeyError) {
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { throw KeyError("no key can be made") }
        handle = try KeyHandle(taking: key)
    }

    /// Reads a private key in PEM.
    package init(pem: Secret) throws(KeyError) {
        handle = try PEM.privateKey(pem.text)
        guard handle.isRSA else { throw KeyError("it is no RSA key") }
    }

    package var description: String { "[hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// What tells whether a signature is this key's.
    package var verificationKey: VerificationKey { VerificationKey(publicKey: handle) }

    /// The private key in PEM (PKCS #8).
    package func pem() throws(KeyError) -> Secret { Secret(try PEM.text(ofPrivateKey: handle)) }

    /// The public key in PEM.
    package func publicPEM() throws(KeyError) -> String { try PEM.text(ofPublicKey: handle) }

    /// The modulus and the exponent, big-endian.
    package var publicNumbers: (modulus: [UInt8], exponent: [UInt8])? {
        guard let modulus = handle.number("n"), let exponent = handle.number("e")
        else { return nil }
        return (modulus, exponent)
    }

    /// The signature of a message.
    package func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = Int(EVP_PKEY_get_size(handle.pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw KeyError("the key does not sign") }
        return Array(signature.prefix(count))
    }
}
