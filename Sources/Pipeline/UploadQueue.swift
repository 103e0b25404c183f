import API
import Posts
import ServiceLifecycle
import Synchronization
import Tree

/// The uploads that wait for a worker, in memory: what survives a crash is `upload_queue` in the tree.
///
/// Users take turns, an upload each.
final class UploadQueue: Sendable {
    private struct Upload {
        let owner: UserID
        /// How often it was tried in vain.
        var attempts = 0
    }

    private struct State {
        var line = FairLine<UserID, PostID>()
        var idleWorkers: [CheckedContinuation<PostID?, Never>] = []
        /// All that wait or are in work.
        var uploads: [PostID: Upload] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let setAside = AsyncStream.makeStream(of: (id: PostID, fault: Failure).self)

    /// How many uploads wait for a worker.
    var count: Int { state.withLock { $0.line.count } }

    /// The time at which the upload that has waited longest was reserved, in milliseconds since the epoch; nil when
    /// none waits.
    var oldestTimestampMilliseconds: Int64? {
        state.withLock { $0.line.firsts.map(\.timestampMilliseconds).min() }
    }

    /// Adds an upload behind its owner's others, unless it waits or is in work already: no two workers ever have the same
    /// one.
    func push(_ id: PostID, of owner: UserID) {
        let isNew = state.withLock { state in
            guard state.uploads[id] == nil else { return false }
            state.uploads[id] = Upload(owner: owner)
            return true
        }
        if isNew { handOut(id) }
    }

    private func handOut(_ id: PostID) {
        let worker: CheckedContinuation<PostID?, Never>? = state.withLock { state in
            guard !state.isClosed, let owner = state.uploads[id]?.owner else { return nil }
            guard let worker = state.idleWorkers.popLast() else {
                state.line.append(id, of: owner)
                return nil
            }
            return worker
        }
        worker?.resume(returning: id)
    }

    /// The next upload; waits for one, and is nil when the queue is closed.
    func next() async -> PostID? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.isClosed {
                    continuation.resume(returning: nil)
                } else if let id = state.line.popFirst() {
                    continuation.resume(returning: id)
                } else {
                    state.idleWorkers.append(continuation)
                }
            }
        }
    }

    /// Stops handing out work. What waits stays recorded in the tree.
    func close() {
        let workers = state.withLock { state in
            state.isClosed = true
            defer { state.idleWorkers = [] }
            return state.idleWorkers
        }
        setAside.continuation.finish()
        for worker in workers { worker.resume(returning: nil) }
    }

    /// Puts an upload back after a transient error, for later.
    func setAside(_ id: PostID, after fault: Failure) {
        setAside.continuation.yield((id, fault))
    }

    /// How often an upload was tried in vain by this process, with the try that has just failed.
    func countAttempt(_ id: PostID) -> Int {
        state.withLock { state in
            state.uploads[id]?.attempts += 1
            return state.uploads[id]?.attempts ?? 1
        }
    }

    /// Lets go of an upload that has ended.
    func finish(_ id: PostID) {
        state.withLock { $0.uploads[id] = nil }
    }

    /// Brings back what was set aside when `wait` has returned for it, until the queue is closed.
    func runRetries(_ wait: @escaping @Sendable (PostID, Failure) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for await (id, fault) in setAside.stream {
                group.addTask {
                    await wait(id, fault)
                    self.handOut(id)
                }
            }
        }
    }
}
