package import Access
import Concurrency
package import Cryptography
import Model
package import Tree
package import TreeModel

/// The keys that give servers and scripts all rights over TCP, stored in the tree of accounts as SHA-256 digests.
///
/// Methods may be called from any task. Readings and changes take turns, so that the last report has the newest keys.
package final class AdminKeys: Sendable {
    /// The largest number of keys; each token that is not another proof is compared with all of them.
    static let maxCount = 100
    /// The longest name, in characters.
    static let maxNameLength = 64
    /// The longest lifetime of a key, in seconds: ten years.
    static let maxLifetimeSeconds: Int64 = 3650 * 86_400

    /// A key with its list data.
    package struct Entry: Hashable, Sendable {
        package let key: AdminKey
        /// The time of its creation.
        package let createdAt: Timestamp
    }

    private let store: AccountStore
    private let onChange: @Sendable ([AdminKey]) -> Void
    private let turn = AsyncSemaphore(1, maxWaiting: 100, maxWaitingOfOwner: 100)

    /// - Parameter onChange: Called with all valid keys, when they are loaded and after each durable change.
    package init(of store: AccountStore, onChange: @escaping @Sendable ([AdminKey]) -> Void) {
        self.store = store
        self.onChange = onChange
    }

    /// The work that loads the keys again at each change in the tree.
    package var follower: TreeFollower {
        TreeFollower(of: AccountNodes.adminKey(), in: store.tree) { try await self.load() }
    }

    /// Loads the keys and reports them.
    package func load() async throws(IdentityError) {
        try await inTurn { () async throws(IdentityError) in try await read().values.map(\.key) }
    }

    /// Returns all keys in the order of their names, including expired ones.
    package func list() async throws(IdentityError) -> [Entry] {
        try await read().values.sorted { $0.key.name < $1.key.name }
    }

    /// Creates a key; its text is shown once and stored nowhere.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, hyphens and underscores of ASCII.
    ///   - lifetimeSeconds: The lifetime; nil for no expiry.
    /// - Throws: `INVALID_KEY_NAME`, `INVALID_ARGUMENT`, `KEY_EXISTS` or `TOO_MANY_KEYS`.
    package func add(
        _ name: String, lifetimeSeconds: Int64?
    ) async throws(IdentityError) -> (entry: Entry, text: Secret) {
        let id = try Self.id(of: name)
        guard lifetimeSeconds.map({ (1...Self.maxLifetimeSeconds).contains($0) }) ?? true else {
            throw IdentityError("INVALID_ARGUMENT : A key is good for 1 second to 3650 days")
        }
        let now = store.now
        guard
            let (key, text) = try? AdminKey.make(
                name: name, expiresAt: lifetimeSeconds.map { now + .seconds($0) })
        else { throw .unavailable(reason: "the admin key could not be created") }
        let entry = Entry(key: key, createdAt: now)
        try await change { entries, transaction in
            guard entries[id] == nil else { throw IdentityError("KEY_EXISTS") }
            guard entries.count < Self.maxCount else { throw IdentityError("TOO_MANY_KEYS") }
            entries[id] = entry
            transaction.set(AccountNodes.adminKey() / id, to: entry.record)
        }
        return (entry, text)
    }

    /// Deletes a key; it is no longer valid when this returns.
    ///
    /// - Throws: `KEY_NOT_FOUND`.
    package func remove(_ name: String) async throws(IdentityError) {
        guard let id = try? Self.id(of: name) else { throw IdentityError("KEY_NOT_FOUND") }
        try await change { entries, transaction in
            guard entries.removeValue(forKey: id) != nil else { throw IdentityError("KEY_NOT_FOUND") }
            transaction.set(AccountNodes.adminKey() / id, to: nil)
        }
    }

    private func change(
        _ body: @escaping @Sendable (inout [TreeKey: Entry], inout AccountTransaction) throws -> Void
    ) async throws(IdentityError) {
        try await inTurn { () async throws(IdentityError) in
            try await store.transact { transaction in
                var entries = try Self.entries(seenBy: transaction.reader)
                try body(&entries, &transaction)
                return entries.values.map(\.key)
            }
        }
    }

    /// Reports the keys that a body returns, while no other body runs.
    private func inTurn(_ body: () async throws(IdentityError) -> [AdminKey]) async throws(IdentityError) {
        guard await turn.wait() else { throw .unavailable(reason: "too many changes of admin keys wait") }
        defer { turn.signal() }
        onChange(try await body())
    }

    private func read() async throws(IdentityError) -> [TreeKey: Entry] {
        try await store.read { reader throws(TreeError) in try Self.entries(seenBy: reader) }
    }

    /// Returns the stored keys; records that cannot be read are left out.
    private static func entries(seenBy reader: AccountReader) throws(TreeError) -> [TreeKey: Entry] {
        let children = try reader.snapshot.children(of: AccountNodes.adminKey(), limit: maxCount)
        return Dictionary(
            uniqueKeysWithValues: children.compactMap { child in
                Entry(name: child.key.string, record: child.value).map { (child.key, $0) }
            })
    }

    private static func id(of name: String) throws(IdentityError) -> TreeKey {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isAllowed, (1...maxNameLength).contains(name.utf8.count), let key = try? TreeKey(name) else {
            throw IdentityError("INVALID_KEY_NAME")
        }
        return key
    }
}

extension AdminKeys.Entry {
    /// The key in the stored form.
    fileprivate var record: TreeValue {
        let json = key.json
        var fields: [TreeKey: TreeValue] = ["created": createdAt.value]
        fields["sha256"] = json["sha256"]?.string.map(TreeValue.string)
        fields["expires"] = key.expiresAt?.value
        return .object(fields)
    }

    fileprivate init?(name: String, record: TreeValue) {
        guard let hash = record["sha256"]?.stringValue, let created = record["created"]?.timestampValue else {
            return nil
        }
        var json: JSONValue = ["name": .string(name), "sha256": .string(hash)]
        if let expires = record["expires"] {
            guard let time = expires.integerValue else { return nil }
            json["expires"] = .integer(Int(time))
        }
        guard let key = try? AdminKey(json) else { return nil }
        self.init(key: key, createdAt: created)
    }
}
