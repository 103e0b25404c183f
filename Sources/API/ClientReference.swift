package import TreeModel

/// The key that a client gives a request so that it can repeat it (`Idempotency-Key`).
package enum ClientReference {
    /// The pattern of a reference, for descriptions.
    package static let pattern = "^[ -~]{1,200}$"

    /// Returns the tree key of a reference; characters that a key cannot contain are percent-encoded.
    ///
    /// - Throws: `Failure` `bad_reference`.
    package static func key(_ reference: String) throws -> TreeKey {
        guard (1...200).contains(reference.utf8.count), reference.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Failure(
                .badReference, "an idempotency key has 1 to 200 printable ASCII characters",
                hint: "Use a UUID, for instance.")
        }
        let forbidden = Set("%.$#[]/".utf8)
        return try TreeKey(
            reference.utf8.map { byte in
                forbidden.contains(byte)
                    ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
            }.joined())
    }
}

extension Failure {
    /// The failure of a request whose idempotency key belongs to another request.
    package static let keyReused = Failure(
        .keyReused, "this idempotency key belongs to another request",
        hint: "Send it with a key of its own: that request is unchanged, and this one had no effect.")
}
