import API
import Access
import Files
import Tree
package import TreeModel

/// The terms on which a write is carried out: its conditions, and the key by which a repetition is recognised.
package struct WriteTerms: Sendable {
    /// The required ETag of the written node; nil for no condition.
    package var etag: String?
    /// The required hash of the written node, as clients compute it; nil for no condition.
    package var hash: String?
    /// The conditions on nodes that the writer must be allowed to read.
    package var conditions: [NodeCondition] = []
    /// The key of the request (`Idempotency-Key`), as a key of the tree; nil for none.
    package var key: TreeKey?

    package init(etag: String? = nil, hash: String? = nil) {
        self.etag = etag
        self.hash = hash
    }

    /// Adds the conditions to a write of a node.
    func add(to update: inout JSONUpdate, at node: TreePath) {
        if let etag { update.conditions.append(.etag(node, etag)) }
        if let hash { update.conditions.append(.nodeHash(node, hash)) }
        update.conditions += conditions.map { .etag($0.path, $0.etag) }
        update.judgesConditions = !conditions.isEmpty
    }
}

extension JSONUpdate {
    /// Checks the conditions on nodes that the writer must be allowed to read, so that other writers do not wait for a
    /// transaction in which they do not hold.
    ///
    /// - Returns: The number of rows that are read for this, and again in the transaction.
    /// - Throws: `TreeError` with the code `permission_denied`, `precondition_failed` or `too_large`, or the engine's
    ///   failure.
    func checkConditions(in tree: TreeStore, for reader: ReadingClient?) async throws -> Int {
        guard judgesConditions, requester != nil else { return 0 }
        return try await ReadingClient.read(for: reader) {
            try await tree.snapshot { snapshot in try checkConditions(in: snapshot) }
        }
    }
}

/// The condition that a node has an ETag.
package struct NodeCondition: Hashable, Sendable {
    /// The name of a node without a value.
    package static let absent = "null_etag"

    package let path: TreePath
    /// The required ETag.
    package let etag: String

    package init(_ path: TreePath, etag: String) {
        self.path = path
        self.etag = etag
    }
}

/// The operation of a write, by which requests with a key are compared.
enum WriteKind: String, Sendable {
    case set, update, push, remove
}

extension WriteTerms {
    /// The size of the rows from which on their fingerprint is computed on a thread that may block, in bytes.
    private static let minBytesOfLongWork = 1 << 20

    /// Returns the key of a request; nil if it has none. The fingerprint covers the operation, its path, its values and
    /// its conditions.
    ///
    /// - Parameters:
    ///   - path: The written path; that of the new child for ``WriteKind/push``.
    ///   - owner: The identity of the writer.
    /// - Throws: `Failure` with the code `bad_reference` for an identity that cannot have keys; `TreeError`.
    func requestKey(
        of update: JSONUpdate, _ kind: WriteKind, at path: DatabasePath, for owner: Identity, in nodes: RequestNodes
    ) async throws -> RequestKey? {
        guard let key else { return nil }
        let node = kind == .push ? path.node.parent ?? path.node : path.node
        var words = [kind.rawValue, node.namespace.name, node.description, etag ?? ""]
        for condition in conditions.sorted(by: { $0.path.description < $1.path.description }) {
            words += [condition.path.description, condition.etag]
        }
        let fingerprint = { @Sendable [words] () throws(TreeError) in
            try update.fingerprint(with: words, below: path.node)
        }
        let isLong = update.byteCount >= Self.minBytesOfLongWork
        return RequestKey(
            key, of: try owner.keyOwner, for: isLong ? try await FileThreads.run(fingerprint) : try fingerprint(),
            at: nodes)
    }
}

extension RequestKey {
    /// Returns the receipt of an earlier request with this key and the same content; nil if there was none.
    ///
    /// - Parameter share: The share of the budget that the repeated write has taken.
    /// - Throws: `Failure` with the code `key_reused` for another content; `TreeError`, the engine's failure.
    func receipt(
        of update: JSONUpdate, _ kind: WriteKind, in tree: TreeStore, holding share: ByteBudget.Share?
    ) async throws -> WriteReceipt? {
        let (record, token) = try await tree.snapshot { snapshot in
            (try self.record(in: snapshot), try snapshot.token)
        }
        guard let record else { return nil }
        guard isKey(of: record) else { throw Failure.keyReused }
        return WriteReceipt(
            try update.receipt(of: record, at: token), childKey: kind == .push ? record.made : nil, holding: share)
    }
}

extension Identity {
    /// The owner of the request keys of this identity: the id of a user, whose other bytes than letters, digits, `_` and
    /// `-` are encoded; `~` for the service's owner; `~anonymous` for everybody without an id, together.
    ///
    /// - Throws: `Failure` with the code `bad_reference` for an id that is too long.
    fileprivate var keyOwner: TreeKey {
        get throws(Failure) {
            guard case .user(let user) = self, let uid = user.uid else {
                return TreeKey(unchecked: self == .admin ? "~" : "~anonymous")
            }
            let text = uid.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    String(UnicodeScalar(byte))
                default: "~" + String(byte, radix: 16, uppercase: true)
                }
            }.joined()
            guard let key = try? TreeKey(text) else {
                throw Failure(
                    .badReference, "the id of this user is too long for idempotency keys",
                    hint: "Send the request without a key.")
            }
            return key
        }
    }
}
