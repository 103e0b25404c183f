package import API
import Concurrency
import Files
import Foundation
import Model
import Synchronization
package import Tree

/// Whether the tree and the blobs belong together: an id that both bear, and a counter that goes up in both.
///
/// The counter goes up at each start, at each stop, and once a minute while anything is committed; in the tree first,
/// durably, then beside the blobs. So a crash leaves the tree one ahead at most, and whatever else is found at a start is
/// the work of somebody who put back a copy of one and not of the other, or lost one of them. Then nothing is swept until
/// a person says that this is how it is to be (``accept()``).
///
/// The tree also keeps the last push id here, so that none of a later run comes before it, whatever the clock does.
package final class StorageAge: Sendable {
    private struct State {
        /// The age of the tree.
        var tree: StoreMark?
        /// The age of the blobs.
        var blobs: StoreMark?
        var mismatch: Failure?
        /// How many updates the tree had applied at the last tick.
        var updateCount: Int?
    }

    private let tree: TreeStore
    private let blobs: any BlobStore
    private let ids: PushIDGenerator
    private let isKept: Bool
    private let state: Mutex<State>
    private let turn = AsyncSemaphore(1)

    /// The mismatch of the two; nil while they fit.
    package var mismatch: Failure? { state.withLock { $0.mismatch } }

    /// Compares the age of the tree with that of the blobs.
    ///
    /// - Parameters:
    ///   - isKept: Whether the tree outlives the process; one that does not is of no age.
    ///   - lastChange: How far the tree's change log had come, as far as is known from elsewhere. When the tree is found to
    ///     lack some of it, the blobs remember that, whatever becomes of the tree's own mark.
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
            // The tree says so itself, and takes no writes of what cannot be read.
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

    /// Counts up where anything was committed since it was done the last time; not while the two do not fit.
    package func tick() async throws {
        guard isKept else { return }
        try await turn.withPermit {
            let now = state.withLock { $0 }
            // What cannot be read may be what is counted.
            guard now.mismatch == nil, tree.health.finding == nil, now.updateCount != tree.statistics.updates else {
                return
            }
            // A crash, or a fault of the disk, came between the two.
            if let mark = now.tree, now.blobs?.counter != mark.counter { try await writeBeside(mark) }
            try await note(now.tree?.id ?? ids.next().string, counter: (now.tree?.counter ?? 0) + 1)
        }
    }

    /// Takes tree and blobs as they are for one store from now on.
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
        // Not the record as a whole: more stands in it.
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

    /// The store's id; nil for one that is not kept.
    package var storeID: String? { state.withLock { $0.tree?.id } }

    /// What is to stand beside the blobs of a tree, so that the two are of one age; nil for a tree that was never counted.
    package static func mark(of tree: TreeStore) async throws -> [UInt8]? {
        let last = try await tree.token
        return try await tree.get(StoreNodes.store()).flatMap { StoreMark($0, change: last)?.json }
    }

    /// The last push id of an earlier run that is known, by what it noted and by the uploads that it reserved, of posts and
    /// of objects.
    static func lastID(in tree: TreeStore) async -> PushID? {
        let noted = try? await tree.get(StoreNodes.store() / "last_id")?.stringValue
        let reserved = try? await tree.keys(of: UploadNodes.upload(), order: .descending, limit: 1).first?.description
        let stored = try? await tree.keys(of: ObjectNodes.file(), order: .descending, limit: 1).first?.description
        return [noted, reserved, stored].compactMap { $0.flatMap { PushID($0) } }.max()
    }
}

/// The mark that the tree and the blobs of one store both bear.
struct StoreMark: Equatable {
    let id: String
    let counter: Int64
    /// The tree's last change, or that which the blobs know of.
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

/// What does not fit of a tree and its blobs.
extension Failure {
    /// Nil when all fits: both are new, or the tree is ahead by no more than a crash explains.
    ///
    /// - Parameters:
    ///   - isMarkBroken: Whether there is a mark beside the blobs that cannot be read.
    ///   - isTreeLost: Whether the tree knows nothing, and there are blobs.
    fileprivate init?(tree: StoreMark?, blobs: StoreMark?, isMarkBroken: Bool, isTreeLost: Bool) {
        switch (tree, blobs) {
        case _ where isMarkBroken:
            self.init(mismatch: .blobsLost, "blobs/\(LocalBlobStore.markName) cannot be read")
        case (nil, _) where isTreeLost:
            self.init(mismatch: .treeLost, "the tree is a new one, and there are blobs of an old one")
        case (nil, nil):
            return nil
        case (nil, _?):
            self.init(
                mismatch: .treeOlder, "the tree is older than the blobs: it is of a time before they were counted")
        case (let tree?, nil):
            // A first start that was cut off.
            guard tree.counter > 1 else { return nil }
            self.init(
                mismatch: .blobsLost, "the blobs are not those of the tree: blobs/\(LocalBlobStore.markName) is missing"
            )
        case (let tree?, let blobs?) where tree.id != blobs.id:
            self.init(mismatch: .differentStores, "the tree and the blobs are of different stores")
        case (let tree?, let blobs?) where tree.counter < blobs.counter:
            self.init(
                mismatch: .treeOlder,
                "the tree is older than the blobs: it counts \(tree.counter), they count \(blobs.counter)")
        case (let tree?, let blobs?) where tree.change ?? .start < blobs.change ?? .start:
            self.init(
                mismatch: .treeOlder,
                "the tree is older than the blobs: it ends with change \(tree.change ?? .start), they have seen "
                    + "\(blobs.change ?? .start)")
        case (let tree?, let blobs?):
            guard tree.counter > blobs.counter + 1 else { return nil }
            self.init(
                mismatch: .blobsOlder,
                "the blobs are older than the tree: they count \(blobs.counter), it counts \(tree.counter)")
        }
    }

    private init(mismatch code: ErrorCode, _ message: String) {
        self.init(
            code, message,
            hint: "put back the half that belongs to the other, or accept what is there: tintype unclaimed accept")
    }
}
