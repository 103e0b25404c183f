import API
package import Logging
import Model
import Store
import Synchronization
package import Tree
package import Uploads

/// Expires reservations, drafts and incomplete uploads that are idle, and deletes the records of uploads that ended
/// long ago.
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

    /// Ends uploads that their senders abandoned while this could not be recorded.
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

    /// Ends reservations, drafts and incomplete uploads that have been idle for longer than a draft may be.
    func expireIdle() async throws {
        let deadline = store.now - settings.value.draftLifetime
        for entry in try await store.queued()
        where entry.state != .ingested && entry.id.timestamp < deadline {
            guard let record = try await store.record(of: entry.id), record.updatedAt < deadline else { continue }
            do {
                // The upload has ended, but could not be cleaned up then.
                if record.state.isTerminal { try await store.cleanUp(record.id) }
                guard record.state.isUnfinished,
                    try await !store.intakes[record.intake].holdsFiles(of: record.id)
                else { continue }
                try await store.expire(record.id, from: record.state, unlessChangedSince: deadline)
                logger.info("expired", metadata: ["upload": "\(record.id)", "owner": "\(record.owner)"])
            } catch let error as Failure where error.code == .wrongState {
                continue  // The sender has continued it at this very moment.
            }
        }
    }

    /// Deletes expired idempotency keys of requests other than uploads.
    func forgetKeys() async throws {
        try await RequestKeys(tree, at: WorkNodes.requests).forget(before: store.now - settings.value.recordLifetime)
    }

    /// Deletes the records of uploads that ended long ago without a post, and frees their idempotency keys.
    func forgetEnded() async throws {
        let deadline = store.now - settings.value.recordLifetime
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: UploadNodes.ended(), range: range, limit: 100)
            for child in page {
                // Ids are in the order of creation, and an upload cannot have ended before it was created.
                guard let id = PostID(child.key.description), id.timestamp < deadline else { return }
                if child.value.timestampValue ?? .epoch < deadline { try await store.forget(id) }
            }
            guard page.count == 100, let last = page.last else { return }
            range = .after(last.key)
        }
    }
}
