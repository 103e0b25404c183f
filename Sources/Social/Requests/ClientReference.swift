import API
package import Tree

/// The name that a client gives a request so that it can ask again (`Idempotency-Key`).
package enum ClientReference {
    /// The key of a reference in the tree: what a key cannot hold is percent-encoded.
    ///
    /// - Throws: `Failure` `bad_reference`.
    package static func key(_ reference: String) throws -> TreeKey {
        guard (1...200).contains(reference.utf8.count), reference.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Failure(
                .badReference, "an idempotency key has 1 to 200 printable ASCII characters",
                hint: "a UUID is a good one")
        }
        let forbidden = Set("%.$#[]/".utf8)
        return try TreeKey(
            reference.utf8.map { byte in
                forbidden.contains(byte)
                    ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
            }.joined())
    }
}
