import API
import Access
import Cryptography
package import Model
package import Tree

/// The name that somebody gives a request (`Idempotency-Key`), by which it makes one thing however often it is sent. It is
/// bound to what the request says.
///
///     requests/{owner}/{key}  = a fingerprint of the request, and behind a space the id of what it has made
///     request_order/{id}      = the owner, and behind a space the key
///
/// in ``Namespace/social``, written in the commit of what is made.
package struct RequestKey: Sendable {
    private let owner: TreeKey
    private let key: TreeKey
    private let fingerprint: String

    /// - Parameters:
    ///   - reference: 1 to 200 printable ASCII characters.
    ///   - owner: Whoever sends the request; nil for the service's owner.
    ///   - words: All that the request says.
    /// - Throws: `Failure` with the code `bad_reference`.
    package init(_ reference: String, of owner: UserID?, for words: [String]) throws {
        // No person has this id.
        self.owner = owner?.key ?? TreeKey(unchecked: "~")
        key = try ClientReference.key(reference)
        let text = words.map { "\($0.utf8.count):\($0)" }.joined()
        fingerprint = Hex.encode(Digest.sha256(text))
    }

    private var path: TreePath { WorkNodes.request() / owner / key }

    /// What the same request has made before; nil when it is the first one.
    ///
    /// - Throws: `Failure` with the code `key_reused` when the key is that of another request.
    func made(in snapshot: TreeSnapshot) throws -> TreeKey? {
        guard let record = RequestRecord(try snapshot.get(path)) else { return nil }
        guard record.fingerprint == fingerprint else {
            throw Failure(
                .keyReused, "this idempotency key belongs to another request",
                hint: "that one stands, and nothing of this one was kept: send it with a key of its own")
        }
        return record.made
    }

    /// Notes what the request makes.
    func note(_ id: PushID, in update: inout MultiPathUpdate) {
        update[path] = .string("\(fingerprint) \(id.key)")
        update[WorkNodes.requestInOrder() / id] = .string("\(owner) \(key)")
    }
}

/// What stands behind a key.
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
    /// Forgets the keys of what somebody has made, up to a bound.
    ///
    /// - Returns: How many there were.
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

/// All keys of requests that have made something.
package struct RequestKeys: Sendable {
    /// How many keys one update forgets.
    private static let batch = 250

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Forgets the keys of what was made before a time.
    package func forget(before deadline: Timestamp) async throws {
        while try await forgetSome(before: deadline) { try Task.checkCancellation() }
    }

    /// - Returns: Whether there may be more.
    private func forgetSome(before deadline: Timestamp) async throws -> Bool {
        try await tree.transact { snapshot, update in
            let rows = try snapshot.children(of: WorkNodes.requestInOrder(), limit: Self.batch)
            for row in rows {
                // In the order of time.
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
