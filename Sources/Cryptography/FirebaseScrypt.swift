import CSystemCrypto

/// Firebase's variant of scrypt, as in its export of accounts (`SCRYPT`): the salt has a suffix that all accounts of a
/// project share, and the hash is the project's key, encrypted by AES-256 in counter mode with the scrypt of the
/// password as the key.
struct FirebaseScrypt: Sendable, Hashable {
    /// The bytes that follow the salt.
    let separator: [UInt8]
    /// The project's key.
    let signerKey: [UInt8]

    /// The size of an AES-256 key, in bytes.
    private static let keyBytes = 32

    /// Creates a variant; nil for parameters that no project has.
    init?(separator: [UInt8], signerKey: [UInt8]) {
        guard separator.count <= 16, (32...128).contains(signerKey.count) else { return nil }
        self.separator = separator
        self.signerKey = signerKey
    }

    /// Returns the hash of a password; nil if ``PasswordHash/scrypt(_:_:_:byteCount:)`` fails.
    func hash(_ password: String, _ salt: [UInt8], _ cost: PasswordHash.Cost) -> [UInt8]? {
        PasswordHash.scrypt(password, salt + separator, cost, byteCount: Self.keyBytes).flatMap(encryptedSignerKey)
    }

    /// Encrypts the project's key with another key, with a counter that starts at zero.
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
