import CSystemCrypto

/// Keys as text (RFC 7468).
package enum PEM {
    /// The longest text that is looked at, in bytes.
    package static let maxBytes = 64 << 10

    /// The key in a private key, PKCS #8 or older.
    package static func privateKey(_ text: String) throws(KeyError) -> KeyHandle {
        // Without a function that is asked for the password of an encrypted key, libcrypto would ask at the terminal.
        try KeyHandle(taking: read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
    }

    /// The key in a public key or in an X.509 certificate, of which nothing else counts.
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

    /// The public half of an RSA key of which the private one is given.
    package static func publicHalf(ofPrivateKey text: String) throws(KeyError) -> KeyHandle {
        let key = try SigningKey(pem: Secret(text))
        return try publicKey(try key.publicPEM())
    }

    /// The text of a private key, PKCS #8 without encryption.
    package static func text(ofPrivateKey key: KeyHandle) throws(KeyError) -> String {
        try write { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) }
    }

    /// The text of a public key, SubjectPublicKeyInfo.
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
        guard let target = BIO_new(BIO_s_mem()) else { throw KeyError("there is no memory for a key") }
        defer { BIO_free(target) }
        guard body(target) == 1 else { throw KeyError("the key cannot be written") }
        var bytes = [UInt8](repeating: 0, count: maxBytes)
        let count = BIO_read(target, &bytes, Int32(bytes.count))
        guard count > 0 else { throw KeyError("the key cannot be written") }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }
}
