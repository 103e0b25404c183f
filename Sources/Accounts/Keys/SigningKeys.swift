package import Access
import Model
package import Tree
import TreeModel

/// The keys that sign tokens, stored in the tree of accounts, and replaced when they are old.
package struct SigningKeys: Sendable {
    /// The age at which a key is replaced: 30 days.
    static let maxAge = Duration.seconds(30 * 86_400)

    private let keys: StoredKeys<KeyRing>

    /// - Parameter onChange: Called with the keys, when they are loaded and after each durable change: for the
    ///   `TokenAuthority`.
    package init(of store: AccountStore, onChange: @escaping @Sendable (KeyRing) -> Void = { _ in }) {
        keys = StoredKeys(
            at: AccountNodes.keys(), in: store,
            .init(decode: { try KeyRing($0) }, encode: { try $0.json() }, make: { try KeyRing(now: $0) }),
            onChange: onChange)
    }

    /// The work that reads the keys again at each change in the tree; it creates none.
    package var follower: TreeFollower { keys.follower }

    /// Loads the keys; creates them if they do not exist.
    ///
    /// - Throws: `KeyError` for keys that cannot be read, and the tree's failures.
    package func load() async throws -> KeyRing { try await keys.change { _, _ in nil } }

    /// Replaces the key if it is old enough.
    ///
    /// - Returns: The keys.
    @discardableResult
    package func rotateIfDue() async throws -> KeyRing {
        try await keys.change { ring, now in
            now - ring.newestKeyTime >= Self.maxAge ? try ring.rotated(now: now) : nil
        }
    }

    /// Replaces the key now.
    ///
    /// - Parameter isCompromised: Whether the old keys have been disclosed; all their tokens then become invalid.
    /// - Returns: The new keys.
    @discardableResult
    package func rotate(isCompromised: Bool = false) async throws -> KeyRing {
        try await keys.change { ring, now in
            isCompromised ? try KeyRing(now: now) : try ring.rotated(now: now)
        }
    }
}
