import CSystemCrypto

/// A fault of a key, a certificate or a set of them; the message never contains the key.
package struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence without a capital and a full stop.
    package let message: String

    /// Creates an error with a message: a sentence without a capital and a full stop.
    package init(_ message: String) {
        // libcrypto's errors are not read, and would stay in the thread's queue.
        ERR_clear_error()
        self.message = message
    }

    package var description: String { message }
}
