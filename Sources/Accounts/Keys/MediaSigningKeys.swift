package import Access
import Model
package import Tree
import TreeModel

/// The keys that sign addresses of media, stored in the tree of accounts.
package struct MediaSigningKeys: Sendable {
    private let keys: StoredKeys<MediaKeys>

    /// - Parameter onChange: Called with the keys, when they are loaded and after each durable change: for the
    ///   `MediaSigner`.
    package init(of store: AccountStore, onChange: @escaping @Sendable (MediaKeys) -> Void = { _ in }) {
        keys = StoredKeys(
            at: AccountNodes.mediaKeys(), in: store,
            .init(decode: { try MediaKeys($0) }, encode: { $0.json }, make: { _ in try MediaKeys() }),
            onChange: onChange)
    }

    /// The work that reads the keys again at each change in the tree; it creates none.
    package var follower: TreeFollower { keys.follower }

    /// Loads the keys; creates them if they do not exist.
    ///
    /// - Throws: `KeyError` for keys that cannot be read, and the tree's failures.
    package func load() async throws -> MediaKeys { try await keys.change { _, _ in nil } }

    /// Replaces the key that signs. Addresses that the previous key signed stay valid until they expire; older ones
    /// become invalid.
    ///
    /// - Parameter isCompromised: Whether the keys have been disclosed; all addresses that they signed then become
    ///   invalid.
    /// - Returns: The new keys.
    @discardableResult
    package func rotate(isCompromised: Bool) async throws -> MediaKeys {
        try await keys.change { keys, _ in isCompromised ? try MediaKeys() : try keys.rotated() }
    }
}
