import CSystemCrypto

/// The state that libcrypto has in this process.
package enum CryptoLibrary {
    /// Leaves libcrypto's state to the system when the process exits; must precede every other use of libcrypto.
    ///
    /// Otherwise `exit` frees the state without a lock. A thread that has used libcrypto, and ends at the same moment, frees
    /// the same memory, and the process ends by a signal instead of with its status.
    package static func keepUntilEnd() { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
