import API
import Concurrency
import DequeModule
package import Model
import ServiceLifecycle
import Synchronization
import Tree
package import TreeModel

/// The uploads that wait for a worker, in memory: what survives a crash is `upload_queue` in the tree.
///
/// Users take turns, an upload each. Uploads that keep their order (``IntakeHandler/keepsOrder``) are rendered side by side, and
/// published one after the other: none of them keeps a worker while it waits for those before it.
package final class UploadQueue: Sendable {
    /// The work on an upload that a worker is given.
    struct Work: Sendable {
        let id: PostID
        /// The instant from which it has waited; nil where it is handed out once more, to be published.
        var since: ContinuousClock.Instant?
        /// The upload as it was rendered, when there is nothing left but to publish it.
        var rendered: UploadRecord?
    }

    private struct Upload {
        let owner: UserID
        let keepsOrder: Bool
        /// How often it was tried in vain.
        var attempts = 0
        /// The instant from which it waits for a worker.
        var since = ContinuousClock.now
    }

    private struct State {
        var line = FairLine<UserID, PostID>()
        var order = PublicationOrder()
        /// The rendered uploads whose turn to be published has come. They go before all others.
        var due: Deque<UploadRecord> = []
        var idleWorkers: [CheckedContinuation<Work?, Never>] = []
        /// All that wait or are in work.
        var uploads: [PostID: Upload] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let setAside = AsyncStream.makeStream(of: (id: PostID, fault: Failure).self)

    /// How many uploads wait for a worker.
    package var count: Int { state.withLock { $0.line.count } }

    /// The time at which the upload that has waited longest was reserved; nil when
    /// none waits.
    package var oldestTimestamp: Timestamp? {
        state.withLock { $0.line.firsts.map(\.timestamp).min() }
    }

    /// Adds an upload behind its owner's others, unless it waits or is in work already: no two workers ever have the same
    /// one.
    package func push(_ id: PostID, of owner: UserID, keepingOrder keepsOrder: Bool = false) {
        let isNew = state.withLock { state in
            guard state.uploads[id] == nil else { return false }
            state.uploads[id] = Upload(owner: owner, keepsOrder: keepsOrder)
            return true
        }
        if isNew { handOut(id) }
    }

    private func handOut(_ id: PostID) {
        let worker: CheckedContinuation<Work?, Never>? = state.withLock { state in
            guard !state.isClosed, let upload = state.uploads[id] else { return nil }
            if upload.keepsOrder { state.order.insert(id, of: upload.owner) }
            state.uploads[id]?.since = .now
            guard let worker = state.idleWorkers.popLast() else {
                state.line.append(id, of: upload.owner)
                return nil
            }
            return worker
        }
        worker?.resume(returning: Work(id: id, since: .now))
    }

    /// The next work; waits for some, and is nil when the queue is closed.
    func next() async -> Work? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.isClosed {
                    continuation.resume(returning: nil)
                } else if let rendered = state.due.popFirst() {
                    continuation.resume(returning: Work(id: rendered.id, rendered: rendered))
                } else if let id = state.line.popFirst() {
                    continuation.resume(returning: Work(id: id, since: state.uploads[id]?.since))
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

    /// Lets go of an upload that has ended.
    func finish(_ id: PostID) {
        state.withLock { $0.uploads[id] = nil }
        letOthersPass(id)
    }

    // MARK: The order of publication

    /// Has the uploads that its owner begins later wait for this one, whose photos are still to come.
    package func expect(_ id: PostID, of owner: UserID) {
        state.withLock { $0.order.insert(id, of: owner) }
    }

    /// Whether a rendered upload may be published now. If not, it is kept, and handed out when those before it are gone.
    func hasTurn(_ rendered: UploadRecord) -> Bool {
        state.withLock { $0.order.hasTurn(rendered) }
    }

    /// Has no other upload wait for this one any longer: it has ended, or something is in its way. It has its place again when it
    /// is handed out again.
    package func letOthersPass(_ id: PostID) {
        let ready = state.withLock { state in
            var ready: [(worker: CheckedContinuation<Work?, Never>, work: Work)] = []
            for rendered in state.order.remove(id) {
                if !state.isClosed, let worker = state.idleWorkers.popLast() {
                    ready.append((worker, Work(id: rendered.id, rendered: rendered)))
                } else {
                    state.due.append(rendered)
                }
            }
            return ready
        }
        for (worker, work) in ready { worker.resume(returning: work) }
    }

    // MARK: Retries

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
