import Access
import Concurrency
import Model
import Tree
import TreeModel

/// Keys that are stored as JSON at a place in the tree of accounts.
///
/// Readings and changes take turns, so that the last report has the newest keys.
final class StoredKeys<Keys: Sendable>: Sendable {
    /// The stored form of keys.
    struct Format: Sendable {
        let decode: @Sendable (JSONValue) throws -> Keys
        let encode: @Sendable (Keys) throws -> JSONValue
        /// Creates the first keys.
        let make: @Sendable (Timestamp) throws -> Keys
    }

    private let path: TreePath
    private let store: AccountStore
    private let format: Format
    private let onChange: @Sendable (Keys) -> Void
    private let turn = AsyncSemaphore(1)

    /// - Parameter onChange: Called with the keys, when they are loaded and after each durable change.
    init(at path: TreePath, in store: AccountStore, _ format: Format, onChange: @escaping @Sendable (Keys) -> Void) {
        self.path = path
        self.store = store
        self.format = format
        self.onChange = onChange
    }

    /// The work that reads the keys again at each change in the tree. It creates none: if they are deleted, the known ones
    /// stay in force.
    var follower: TreeFollower { TreeFollower(of: path, in: store.tree) { try await self.read() } }

    private func read() async throws {
        try await turn.withPermit {
            guard let stored = try await store.tree.get(path) else {
                throw TreeError(.corrupt, "the keys have been deleted", path: path)
            }
            onChange(try keys(in: stored))
        }
    }

    /// Changes the keys; creates them if they do not exist.
    ///
    /// Creating a key takes a while, so it is done outside the transaction; of two concurrent changes, the first one
    /// that is written counts.
    ///
    /// - Parameter body: Returns the new keys; nil to keep the present ones.
    /// - Returns: The stored keys.
    func change(_ body: (Keys, Timestamp) throws -> Keys?) async throws -> Keys {
        try await turn.withPermit {
            while true {
                let stored = try await store.tree.get(path)
                let now = store.now
                var keys = try stored.map(keys(in:)) ?? format.make(now)
                if let changed = try body(keys, now) ?? (stored == nil ? keys : nil) {
                    let record = try self.record(of: changed)
                    do throws(TreeError) {
                        if record != stored { try await store.tree.set(path, to: record, if: [.equals(path, stored)]) }
                    } catch {
                        guard error.code == .preconditionFailed else { throw error }
                        continue
                    }
                    keys = try self.keys(in: record)
                }
                onChange(keys)
                return keys
            }
        }
    }

    private func record(of keys: Keys) throws -> TreeValue {
        .string(String(decoding: try format.encode(keys).text, as: UTF8.self))
    }

    private func keys(in record: TreeValue) throws -> Keys {
        guard let text = record.stringValue, let json = JSONValue(text: text.utf8) else {
            throw TreeError(.corrupt, "the keys are not valid JSON", path: path)
        }
        return try format.decode(json)
    }
}
