import API
import Cryptography
package import Model
package import Tree

extension RequestKey {
    /// Creates the key of a request to the service.
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

    /// Records a request that creates no node, after the other writes of its update. An update that otherwise only
    /// deletes still frees space on the disk.
    func note(in update: inout MultiPathUpdate) {
        if !update.values.isEmpty, update.serverValues.isEmpty, update.values.values.allSatisfy({ $0 == nil }) {
            update.makesRoom = true
        }
        note(PushIDGenerator().next(), in: &update)
    }
}

extension TreeStore {
    /// Carries out a request in a transaction: once, however often it is sent with its key; without a key, each time.
    ///
    /// The request is recorded in the commit of its effect, also if it changes nothing. A request that is refused leaves
    /// the key free. The record is all that a key adds to what the transaction reads.
    ///
    /// - Parameter body: Carries out the request; see ``TreeStore/transact(_:)``.
    /// - Returns: The result of the body, nil for a repeated request, and the position in the change log just after it.
    /// - Throws: The errors of the body; `Failure` with the code `key_reused` for the key of another request.
    func transact<Result: Sendable>(
        once key: RequestKey?, _ body: @escaping @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Result
    ) async throws -> (result: Result?, token: SyncToken) {
        try await transact { snapshot, update in
            if try key?.made(in: snapshot) != nil { return nil }
            let result = try body(snapshot, &update)
            key?.note(in: &update)
            return result
        }
    }
}
