import API
package import Logging
import Model
import Social
import Store
import Synchronization
package import Tree
package import Uploads

/// Expires reservations, drafts and what was being received, when nobody finishes it, and forgets the records of uploads that ended long ago.
package struct UploadExpiry: Sendable {
    let tree: TreeStore
    let store: UploadStore
    let settings: SharedSettings
    let logger: Logger

    package init(tree: TreeStore, store: UploadStore, settings: SharedSettings, logger: Logger) {
        self.tree = tree
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// Ends uploads whose senders gave up while this could not be written down.
    func expireAbandoned() async throws {
        for (id, time) in store.abandoned.withLock({ $0 }) {
            if let record = try await store.record(of: id) {
                if record.state.isUnfinished {
                    if try await !store.intakes[record.intake].holdsFiles(of: id) {
                        try await store.expire(id, from: record.state, unlessChangedSince: time)
                    }
                } else {
                    try await store.cleanUp(id)
                }
            }
            store.abandoned.withLock { $0[id] = nil }
        }
    }

    /// Ends reservations, drafts and what was being received that were left alone for longer than a draft may be.
    func expireIdle() async throws {
        let deadline = store.now - settings.value.draftLifetime
        for entry in try await store.queued()
        where entry.state != .ingested && entry.id.timestamp < deadline {
            guard let record = try await store.record(of: entry.id), record.updatedAt < deadline else { continue }
            do {
                // It has ended, but what was to be cleaned up then could not be.
                if record.state.isTerminal { try await store.cleanUp(record.id) }
                guard record.state.isUnfinished,
                    try await !store.intakes[record.intake].holdsFiles(of: record.id)
                else { continue }
                try await store.expire(record.id, from: record.state, unlessChangedSince: deadline)
                logger.info("expired", metadata: ["upload": "\(record.id)", "owner": "\(record.owner)"])
            } catch let error as Failure where error.code == .wrongState {
                continue  // Its sender went on with it in this very moment.
            }
        }
    }

    /// Forgets the idempotency keys of other requests than uploads.
    func forgetKeys() async throws {
        try await RequestKeys(tree).forget(before: store.now - settings.value.recordLifetime)
    }

    /// Deletes the records of uploads that ended long ago without a post; their idempotency keys are free again.
    func forgetEnded() async throws {
        let deadline = store.now - settings.value.recordLifetime
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: UploadNodes.ended(), range: range, limit: 100)
            for child in page {
                // In the order of their beginnings; no end comes before its beginning.
                guard let id = PostID(child.key.description), id.timestamp < deadline else { return }
                if child.value.timestampValue ?? .epoch < deadline { try await store.forget(id) }
            }
            guard page.count == 100, let last = page.last else { return }
            range = .after(last.key)
        }
    }
}
