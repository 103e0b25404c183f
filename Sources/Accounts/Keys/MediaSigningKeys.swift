package import Access
import Cryptography
import Foundation
import Model
import Tree
import TreeModel

/// The keys that sign addresses of media, stored in the tree of accounts.
package struct MediaSigningKeys: Sendable {
    private let store: AccountStore

    package init(of store: AccountStore) { self.store = store }

    /// Loads the keys; creates them if they do not exist.
    ///
    /// - Throws: `KeyError` for keys that cannot be read, and the tree's failures.
    package func load() async throws -> MediaKeys { try await change { $0 } }

    /// Replaces the key that signs. Addresses that the previous key signed stay valid until they expire; older ones
    /// become invalid.
    ///
    /// - Parameter isCompromised: Whether the keys have been disclosed; all addresses that they signed then become
    ///   invalid.
    /// - Returns: The new keys, for the `MediaSigner`.
    package func rotate(isCompromised: Bool) async throws -> MediaKeys {
        try await change { keys throws(KeyError) in isCompromised ? try MediaKeys() : try keys.rotated() }
    }

    private func change(_ body: (MediaKeys) throws -> MediaKeys) async throws -> MediaKeys {
        while true {
            let stored = try await store.tree.get(AccountNodes.mediaKeys())
            let keys = try body(try stored.map(Self.keys) ?? MediaKeys())
            let record = TreeValue.string(String(decoding: keys.json.text, as: UTF8.self))
            guard record != stored else { return keys }
            do throws(TreeError) {
                try await store.tree.set(
                    AccountNodes.mediaKeys(), to: record, if: [.equals(AccountNodes.mediaKeys(), stored)])
                return keys
            } catch {
                guard error.code == .preconditionFailed else { throw error }
            }
        }
    }

    private static func keys(_ record: TreeValue) throws -> MediaKeys {
        guard let text = record.stringValue, let json = JSONValue(text: text.utf8) else {
            throw TreeError(.corrupt, "the keys that sign addresses are not valid JSON", path: AccountNodes.mediaKeys())
        }
        return try MediaKeys(json)
    }
}
