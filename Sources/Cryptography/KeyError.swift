import CSystemCrypto

/// What is wrong with a key, a certificate or a set of them; never says what the key is.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without a capital and a full stop.
    package let message: String

    /// Makes an error of one sentence without a capital and a full stop.
    package init(_ message: String) {
        // Whatever libcrypto noted of the failure is not asked for, and would stay with the thread.
        ERR_clear_error()
        self.message = message
    }

    package var description: String { message }
}
