import API
import Cryptography
package import Model
package import Tree

extension RequestKey {
    /// Creates the key of a request by which the service creates a node.
    ///
    /// - Parameters:
    ///   - reference: 1 to 200 printable ASCII characters.
    ///   - owner: The sender of the request; nil for the service's owner.
    ///   - words: The content of the request.
    /// - Throws: `Failure` with the code `bad_reference`.
    package init(_ reference: String, of owner: UserID?, for words: [String]) throws {
        let text = words.map { "\($0.utf8.count):\($0)" }.joined()
        self.init(
            try ClientReference.key(reference), of: owner?.key ?? WorkNodes.ownerOfService,
            for: Hex.encode(Digest.sha256(text)), at: WorkNodes.requests)
    }

    /// Returns the id of the node that the same request has created before; nil for a new request.
    ///
    /// - Throws: `Failure` with the code `key_reused` when the key is that of another request.
    package func made(in snapshot: TreeSnapshot) throws -> TreeKey? {
        guard let record = try record(in: snapshot) else { return nil }
        guard isKey(of: record) else { throw Failure.keyReused }
        return record.made
    }
}
