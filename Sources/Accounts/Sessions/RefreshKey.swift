import Access
import Cryptography

/// The key of a refresh (`Idempotency-Key`), by which a client that has not received the answer gets it again. Only its
/// hash is kept.
struct RefreshKey: Hashable, Sendable {
    /// The SHA-256 of the key, as it is stored.
    let hash: String

    /// - Parameter text: 1 to 200 printable ASCII characters; the result is nil for any other text.
    init?(_ text: String) {
        guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        hash = Base64URL.encode(Digest.sha256(text))
    }
}
