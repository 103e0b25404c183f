package import Access
import Cryptography
import Foundation
import Model
import Tree
import TreeModel

/// The keys that sign tokens, stored in the tree of accounts, and replaced when they are old.
package struct SigningKeys: Sendable {
    /// The age at which a key is replaced: 30 days.
    static let maxAge = Duration.seconds(30 * 86_400)

    private let store: AccountStore

    package init(of store: AccountStore) { self.store = store }

    /// Loads the keys; creates them if they do not exist.
    ///
    /// - Throws: `KeyError` for keys that cannot be read, and the tree's failures.
    package func load() async throws -> KeyRing {
        try await change { ring, _ in ring }
    }

    /// Replaces the key if it is old enough.
    ///
    /// - Returns: The new keys, for the `TokenAuthority`.
    package func rotateIfDue() async throws -> KeyRing {
        try await change { ring, now in
            now - ring.newestKeyTime >= Self.maxAge
                ? try ring.rotated(now: now) : ring
        }
    }

    /// Replaces the key now.
    ///
    /// - Parameter isCompromised: Whether the old keys have been disclosed; all their tokens then become invalid.
    /// - Returns: The new keys, for the `TokenAuthority`.
    package func rotate(isCompromised: Bool = false) async throws -> KeyRing {
        try await change { ring, now in
            isCompromised ? try KeyRing(now: now) : try ring.rotated(now: now)
        }
    }

    /// Changes the keys. Creating a key takes a while, so it is done outside the transaction; of two concurrent
    /// changes, the first one that is written counts.
    private func change(_ body: (KeyRing, Timestamp) throws -> KeyRing) async throws -> KeyRing {
        while true {
            let stored = try await store.tree.get(AccountNodes.keys())
            let now = store.now
            let ring = try stored.map(Self.ring) ?? KeyRing(now: now)
            let record = try Self.record(of: try body(ring, now))
            guard record != stored else { return ring }
            do throws(TreeError) {
                try await store.tree.set(AccountNodes.keys(), to: record, if: [.equals(AccountNodes.keys(), stored)])
            } catch {
                guard error.code == .preconditionFailed else { throw error }
                continue
            }
            return try Self.ring(record)
        }
    }

    private static func record(of ring: KeyRing) throws(KeyError) -> TreeValue {
        .string(String(decoding: try ring.json().text, as: UTF8.self))
    }

    private static func ring(_ record: TreeValue) throws -> KeyRing {
        guard let text = record.stringValue, let json = JSONValue(text: text.utf8) else {
            throw TreeError(.corrupt, "the keys that sign tokens are not valid JSON", path: AccountNodes.keys())
        }
        return try KeyRing(json)
    }
}
