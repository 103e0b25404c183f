import CSystemCrypto

/// Firebase's form of the scrypt of a password, as its export of accounts has it (`SCRYPT`): the salt has a suffix that all
/// accounts of a project share, and the hash is the project's key, encrypted with the scrypt by AES-256 in counter mode.
struct FirebaseScrypt: Sendable, Hashable {
    /// The bytes that follow the salt.
    let separator: [UInt8]
    /// The project's key.
    let signerKey: [UInt8]

    /// Bytes of a key of AES-256.
    private static let keyBytes = 32

    /// Nil for what no project has.
    init?(separator: [UInt8], signerKey: [UInt8]) {
        guard separator.count <= 16, (32...128).contains(signerKey.count) else { return nil }
        self.separator = separator
        self.signerKey = signerKey
    }

    /// The hash of a password; nil where ``PasswordHash/scrypt(_:_:_:byteCount:)`` is.
    func hash(_ password: String, _ salt: [UInt8], _ cost: PasswordHash.Cost) -> [UInt8]? {
        PasswordHash.scrypt(password, salt + separator, cost, byteCount: Self.keyBytes).flatMap(encryptedSignerKey)
    }

    /// The project's key, encrypted with another, from a counter of zero on.
    private func encryptedSignerKey(by key: [UInt8]) -> [UInt8]? {
        let counter = [UInt8](repeating: 0, count: 16)
        var (bytes, count) = ([UInt8](repeating: 0, count: signerKey.count), Int32(0))
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        guard EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            EVP_EncryptUpdate(context, &bytes, &count, signerKey, Int32(signerKey.count)) == 1,
            Int(count) == bytes.count
        else {
            ERR_clear_error()
            return nil
        }
        return bytes
    }
}
