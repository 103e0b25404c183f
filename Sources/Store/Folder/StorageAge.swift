package import API
import Concurrency
import Files
import Foundation
import Model
import Synchronization
package import Tree

/// The check that the tree and the blobs belong together, by an id and a rising counter that both contain.
///
/// The counter rises at each start, at each stop, and once a minute if anything was committed: first in the tree,
/// durably, then beside the blobs. Therefore a crash leaves the tree at most one ahead. Any other difference at a start
/// means that a copy of only one of them was restored, or that one was lost. Then nothing is cleaned up until an
/// operator accepts the difference (``accept()``).
///
/// The tree also keeps the last push id here, so that no id of a later run precedes it, even if the clock is set back.
package final class StorageAge: Sendable {
    private struct State {
        /// The age of the tree.
        var tree: StoreMark?
        /// The age of the blobs.
        var blobs: StoreMark?
        var mismatch: Failure?
        /// The number of updates that the tree had applied at the last tick; nil before the first.
        var updateCount: Int?
    }

    private let tree: TreeStore
    private let blobs: any BlobStore
    private let ids: PushIDGenerator
    private let isKept: Bool
    private let state: Mutex<State>
    private let turn = AsyncSemaphore(1)

    /// The mismatch of the tree and the blobs; nil while they belong together.
    package var mismatch: Failure? { state.withLock { $0.mismatch } }

    /// Compares the age of the tree with that of the blobs.
    ///
    /// - Parameters:
    ///   - isKept: Whether the tree outlives the process; one in memory has no age.
    ///   - lastChange: The last change of the tree's change log, as recorded elsewhere; nil if unknown. If the tree
    ///     lacks some of these changes, the blobs' mark records that, so that it is known even if the tree's own mark
    ///     is lost.
    init(
        of tree: TreeStore, beside blobs: any BlobStore, ids: PushIDGenerator, isKept: Bool, lastChange: SyncToken?
    ) async throws {
        self.tree = tree
        self.blobs = blobs
        self.ids = ids
        self.isKept = isKept
        var found = State()
        do {
            if isKept { found = try await Self.look(at: tree, beside: blobs) }
        } catch is TreeError where tree.health.finding != nil {
            // The tree reports its damage itself, and rejects writes that depend on unreadable rows.
        }
        if tree.health.damage?.code == .missingUpdates, let lastChange, let mark = found.blobs {
            let noted = StoreMark(id: mark.id, counter: mark.counter, change: max(mark.change ?? .start, lastChange))
            try? await blobs.setMark(noted.json)
        }
        state = Mutex(found)
    }

    private static func look(at tree: TreeStore, beside blobs: any BlobStore) async throws -> State {
        var found = State()
        let last = try await tree.snapshot { try $0.token }
        found.tree = try await tree.get(StoreNodes.store()).flatMap { StoreMark($0, change: last) }
        let bytes = try await blobs.mark()
        found.blobs = bytes.flatMap { StoreMark(json: $0) }
        let isBlank = try await isBlank(tree)
        let isTreeLost = isBlank ? try await !blobs.isEmpty() : false
        found.mismatch = Failure(
            tree: found.tree, blobs: found.blobs, isMarkBroken: bytes != nil && found.blobs == nil,
            isTreeLost: isTreeLost)
        return found
    }

    private static func isBlank(_ tree: TreeStore) async throws -> Bool {
        for path in [PostNodes.post(), AudienceNodes.post(), UploadNodes.upload(), ObjectNodes.file()]
        where try await !tree.keys(of: path, limit: 1).isEmpty { return false }
        return true
    }

    /// Raises the counter if anything was committed since the last tick; does nothing while there is a mismatch.
    package func tick() async throws {
        guard isKept else { return }
        try await turn.withPermit {
            let now = state.withLock { $0 }
            // A damaged tree may have lost the counter itself.
            guard now.mismatch == nil, tree.health.finding == nil, now.updateCount != tree.statistics.updates else {
                return
            }
            // A crash or a fault of the disk came between the two writes.
            if let mark = now.tree, now.blobs?.counter != mark.counter { try await writeBeside(mark) }
            try await note(now.tree?.id ?? ids.next().string, counter: (now.tree?.counter ?? 0) + 1)
        }
    }

    /// Accepts the tree and the blobs as one store from now on.
    package func accept() async throws {
        guard isKept else { return }
        try await turn.withPermit {
            let now = state.withLock { $0 }
            guard now.mismatch != nil else { return }
            let counter = max(now.tree?.counter ?? 0, now.blobs?.counter ?? 0) + 1
            try await note(now.tree?.id ?? now.blobs?.id ?? ids.next().string, counter: counter)
            state.withLock { $0.mismatch = nil }
        }
    }

    private func note(_ id: String, counter: Int64) async throws {
        var update = MultiPathUpdate()
        // Not the whole record, which has further fields.
        update[StoreNodes.store() / "id"] = .string(id)
        update[StoreNodes.store() / "counter"] = .integer(counter)
        update[StoreNodes.store() / "last_id"] = .string(ids.next().string)
        let mark = StoreMark(id: id, counter: counter, change: try await tree.update(update))
        let updateCount = tree.statistics.updates
        state.withLock { ($0.tree, $0.updateCount) = (mark, updateCount) }
        try await writeBeside(mark)
    }

    private func writeBeside(_ mark: StoreMark) async throws {
        try await blobs.setMark(mark.json)
        state.withLock { $0.blobs = mark }
    }

    /// The store's id; nil if the tree is in memory.
    package var storeID: String? { state.withLock { $0.tree?.id } }

    /// Returns the mark to write beside the blobs of a tree, so that both have the same age; nil if the tree never had
    /// a counter.
    package static func mark(of tree: TreeStore) async throws -> [UInt8]? {
        let last = try await tree.token
        return try await tree.get(StoreNodes.store()).flatMap { StoreMark($0, change: last)?.json }
    }

    /// Returns the last push id of an earlier run: the recorded one, or the last id of an upload or an object.
    static func lastID(in tree: TreeStore) async -> PushID? {
        let noted = try? await tree.get(StoreNodes.store() / "last_id")?.stringValue
        let reserved = try? await tree.keys(of: UploadNodes.upload(), order: .descending, limit: 1).first?.description
        let stored = try? await tree.keys(of: ObjectNodes.file(), order: .descending, limit: 1).first?.description
        return [noted, reserved, stored].compactMap { $0.flatMap { PushID($0) } }.max()
    }
}

/// The mark that the tree and the blobs of one store have in common.
struct StoreMark: Equatable {
    let id: String
    let counter: Int64
    /// The tree's last change, or the last one that the blobs' mark records.
    let change: SyncToken?

    init(id: String, counter: Int64, change: SyncToken?) {
        self.id = id
        self.counter = counter
        self.change = change
    }

    init?(_ value: TreeValue, change: SyncToken) {
        guard let id = value["id"]?.stringValue, let counter = value["counter"]?.integerValue else { return nil }
        self.init(id: id, counter: counter, change: change)
    }

    init?(json: [UInt8]) {
        struct Document: Decodable {
            let id: String
            let counter: Int64
            let change: UInt64?
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else { return nil }
        self.init(
            id: document.id, counter: document.counter, change: document.change.map { SyncToken(sequence: $0) })
    }

    var json: [UInt8] {
        var document: [TreeKey: TreeValue] = ["id": .string(id), "counter": .integer(counter)]
        document["change"] = change.map { .integer(Int64(clamping: $0.sequence)) }
        return TreeValue.object(document).json() + [UInt8(ascii: "\n")]
    }
}

/// The mismatches of a tree and its blobs.
extension Failure {
    /// Creates the failure; nil if there is no mismatch: both are new, or the tree is ahead by no more than a crash
    /// explains.
    ///
    /// - Parameters:
    ///   - isMarkBroken: Whether the mark beside the blobs cannot be read.
    ///   - isTreeLost: Whether the tree is empty although there are blobs.
    fileprivate init?(tree: StoreMark?, blobs: StoreMark?, isMarkBroken: Bool, isTreeLost: Bool) {
        switch (tree, blobs) {
        case _ where isMarkBroken:
            self.init(mismatch: .blobsLost, "blobs/\(LocalBlobStore.markName) cannot be read")
        case (nil, _) where isTreeLost:
            self.init(mismatch: .treeLost, "the tree is new, but there are blobs of an old one")
        case (nil, nil):
            return nil
        case (nil, _?):
            self.init(
                mismatch: .treeOlder, "the tree is older than the blobs: it has no counter yet")
        case (let tree?, nil):
            // The first start was interrupted.
            guard tree.counter > 1 else { return nil }
            self.init(
                mismatch: .blobsLost, "the blobs are not those of the tree: blobs/\(LocalBlobStore.markName) is missing"
            )
        case (let tree?, let blobs?) where tree.id != blobs.id:
            self.init(mismatch: .differentStores, "the tree and the blobs are of different stores")
        case (let tree?, let blobs?) where tree.counter < blobs.counter:
            self.init(
                mismatch: .treeOlder,
                "the tree is older than the blobs: its counter is \(tree.counter), theirs is \(blobs.counter)")
        case (let tree?, let blobs?) where tree.change ?? .start < blobs.change ?? .start:
            self.init(
                mismatch: .treeOlder,
                "the tree is older than the blobs: it ends with change \(tree.change ?? .start), they record "
                    + "\(blobs.change ?? .start)")
        case (let tree?, let blobs?):
            guard tree.counter > blobs.counter + 1 else { return nil }
            self.init(
                mismatch: .blobsOlder,
                "the blobs are older than the tree: their counter is \(blobs.counter), its counter is \(tree.counter)")
        }
    }

    private init(mismatch code: ErrorCode, _ message: String) {
        self.init(
            code, message,
            hint: "Put back the half that belongs to the other, or accept what is there with "
                + "tintype store unclaimed accept.")
    }
}
