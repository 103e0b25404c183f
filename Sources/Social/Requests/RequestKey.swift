import API
import Access
import Cryptography
package import Model
package import Tree

/// The key of a request (`Idempotency-Key`), with which a repeated request creates its result only once. It is bound to
/// the content of the request.
///
///     requests/{owner}/{key}  = a fingerprint of the request, and after a space the id of the created node
///     request_order/{id}      = the owner, and after a space the key
///
/// These nodes are in ``Namespace/social``, and are written in the commit of the created node.
package struct RequestKey: Sendable {
    private let owner: TreeKey
    private let key: TreeKey
    private let fingerprint: String

    /// - Parameters:
    ///   - reference: 1 to 200 printable ASCII characters.
    ///   - owner: The sender of the request; nil for the service's owner.
    ///   - words: The content of the request.
    /// - Throws: `Failure` with the code `bad_reference`.
    package init(_ reference: String, of owner: UserID?, for words: [String]) throws {
        // People cannot have this id.
        self.owner = owner?.key ?? TreeKey(unchecked: "~")
        key = try ClientReference.key(reference)
        let text = words.map { "\($0.utf8.count):\($0)" }.joined()
        fingerprint = Hex.encode(Digest.sha256(text))
    }

    private var path: TreePath { WorkNodes.request() / owner / key }

    /// Returns the id of the node that the same request has created before; nil for a new request.
    ///
    /// - Throws: `Failure` with the code `key_reused` when the key is that of another request.
    func made(in snapshot: TreeSnapshot) throws -> TreeKey? {
        guard let record = RequestRecord(try snapshot.get(path)) else { return nil }
        guard record.fingerprint == fingerprint else {
            throw Failure(
                .keyReused, "this idempotency key belongs to another request",
                hint: "Send it with a key of its own: that request is unchanged, and this one had no effect.")
        }
        return record.made
    }

    /// Records the id of the node that the request creates.
    func note(_ id: PushID, in update: inout MultiPathUpdate) {
        update[path] = .string("\(fingerprint) \(id.key)")
        update[WorkNodes.requestInOrder() / id] = .string("\(owner) \(key)")
    }
}

/// The value of a key.
private struct RequestRecord {
    let fingerprint: String
    let made: TreeKey

    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ").map(String.init) ?? []
        guard parts.count == 2 else { return nil }
        (fingerprint, made) = (parts[0], TreeKey(unchecked: parts[1]))
    }
}

extension TreeSnapshot {
    /// Deletes the request keys of a person, up to a limit.
    ///
    /// - Returns: The number of deleted keys.
    func forgetRequests(
        of owner: UserID, limit: Int, in update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        let rows = try children(of: WorkNodes.request() / owner.key, limit: limit)
        for row in rows {
            update[WorkNodes.request() / owner.key / row.key] = nil
            if let made = RequestRecord(row.value)?.made { update[WorkNodes.requestInOrder() / made] = nil }
        }
        return rows.count
    }
}

/// The stored request keys.
package struct RequestKeys: Sendable {
    /// The number of keys that one update deletes.
    private static let batch = 250

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Deletes the keys of requests before a time.
    package func forget(before deadline: Timestamp) async throws {
        while try await forgetSome(before: deadline) { try Task.checkCancellation() }
    }

    /// - Returns: Whether there may be more.
    private func forgetSome(before deadline: Timestamp) async throws -> Bool {
        try await tree.transact { snapshot, update in
            let rows = try snapshot.children(of: WorkNodes.requestInOrder(), limit: Self.batch)
            for row in rows {
                // The rows are in the order of their times.
                if let id = PostID(row.key.string), id.timestamp >= deadline { return false }
                update[WorkNodes.requestInOrder() / row.key] = nil
                let parts = row.value.stringValue?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
                guard parts.count == 2 else { continue }
                let path = WorkNodes.request() / TreeKey(unchecked: parts[0]) / TreeKey(unchecked: parts[1])
                if RequestRecord(try snapshot.get(path))?.made == row.key { update[path] = nil }
            }
            return rows.count == Self.batch
        }.result
    }
}
