import CSystemCrypto

/// Keys as text (RFC 7468).
package enum PEM {
    /// The maximum length of a text, in bytes.
    package static let maxBytes = 64 << 10

    /// Reads a private key, in PKCS #8 or an older form.
    package static func privateKey(_ text: String) throws(KeyError) -> KeyHandle {
        // Without a callback for the password of an encrypted key, libcrypto would prompt for it on the terminal.
        try KeyHandle(taking: read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
    }

    /// Reads a public key, or that of an X.509 certificate, whose other contents are ignored.
    package static func publicKey(_ text: String) throws(KeyError) -> KeyHandle {
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            return try KeyHandle(taking: read(text) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) })
        }
        return try KeyHandle(
            taking: read(text) { source in
                let certificate = PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil)
                defer { X509_free(certificate) }
                return certificate.flatMap { X509_get_pubkey($0) }
            })
    }

    /// Returns the public half of an RSA private key.
    package static func publicHalf(ofPrivateKey text: String) throws(KeyError) -> KeyHandle {
        let key = try SigningKey(pem: Secret(text))
        return try publicKey(try key.publicPEM())
    }

    /// Returns a private key as text, in PKCS #8 without encryption.
    package static func text(ofPrivateKey key: KeyHandle) throws(KeyError) -> String {
        try write { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) }
    }

    /// Returns a public key as text, in SubjectPublicKeyInfo.
    package static func text(ofPublicKey key: KeyHandle) throws(KeyError) -> String {
        try write { PEM_write_bio_PUBKEY($0, key.pointer) }
    }

    private static func read(_ text: String, _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        var text = text
        return text.withUTF8 { bytes -> OpaquePointer? in
            guard bytes.count <= maxBytes, let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free(source) }
            return body(source)
        }
    }

    private static func write(_ body: (OpaquePointer) -> Int32) throws(KeyError) -> String {
        guard let target = BIO_new(BIO_s_mem()) else { throw KeyError("there is not enough memory for a key") }
        defer { BIO_free(target) }
        guard body(target) == 1 else { throw KeyError("the key cannot be written") }
        var bytes = [UInt8](repeating: 0, count: maxBytes)
        let count = BIO_read(target, &bytes, Int32(bytes.count))
        guard count > 0 else { throw KeyError("the key cannot be written") }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }
}
