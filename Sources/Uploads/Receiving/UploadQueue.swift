import API
import Concurrency
import DequeModule
package import Model
import ServiceLifecycle
import Synchronization
import Tree
package import TreeModel

/// The uploads that wait for a worker, in memory. The durable queue is `upload_queue` in the tree.
///
/// Users take turns, one upload each. Uploads that keep their order (``IntakeHandler/keepsOrder``) are rendered
/// concurrently and published one after the other; none of them occupies a worker while it waits for earlier ones.
package final class UploadQueue: Sendable {
    /// A worker's task for one upload.
    struct Work: Sendable {
        let id: PostID
        /// The instant at which the wait began; nil if the upload is handed out again for publication.
        var since: ContinuousClock.Instant?
        /// The rendered upload, if only its publication remains.
        var rendered: UploadRecord?
    }

    private struct Upload {
        let owner: UserID
        let keepsOrder: Bool
        /// The number of failed attempts.
        var attempts = 0
        /// The instant at which the wait for a worker began.
        var since = ContinuousClock.now
    }

    private struct State {
        var line = FairLine<UserID, PostID>()
        var order = PublicationOrder()
        /// The rendered uploads whose turn to be published has come. They precede all others.
        var due: Deque<UploadRecord> = []
        var idleWorkers: [CheckedContinuation<Work?, Never>] = []
        /// The uploads that wait or are in progress.
        var uploads: [PostID: Upload] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let setAside = AsyncStream.makeStream(of: (id: PostID, fault: Failure).self)

    /// The number of uploads that wait for a worker.
    package var count: Int { state.withLock { $0.line.count } }

    /// The time at which the upload that has waited longest was reserved; nil if none waits.
    package var oldestTimestamp: Timestamp? {
        state.withLock { $0.line.firsts.map(\.timestamp).min() }
    }

    /// Adds an upload behind its owner's others, unless it waits or is in progress already: two workers never have the
    /// same upload.
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

    /// Waits for the next work and returns it; nil once the queue is closed.
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

    /// Stops handing out work. Waiting uploads stay recorded in the tree.
    func close() {
        let workers = state.withLock { state in
            state.isClosed = true
            defer { state.idleWorkers = [] }
            return state.idleWorkers
        }
        setAside.continuation.finish()
        for worker in workers { worker.resume(returning: nil) }
    }

    /// Removes an upload that has ended.
    func finish(_ id: PostID) {
        state.withLock { $0.uploads[id] = nil }
        letOthersPass(id)
    }

    // MARK: The order of publication

    /// Makes later uploads of the owner wait for this one, whose photos have not arrived yet.
    package func expect(_ id: PostID, of owner: UserID) {
        state.withLock { $0.order.insert(id, of: owner) }
    }

    /// Whether a rendered upload may be published now. If not, it is kept and handed out once those before it
    /// are finished.
    func hasTurn(_ rendered: UploadRecord) -> Bool {
        state.withLock { $0.order.hasTurn(rendered) }
    }

    /// Lets other uploads pass this one because it has ended or is blocked. It regains its position when it is handed
    /// out again.
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

    /// Sets an upload aside for a retry after a transient error.
    func setAside(_ id: PostID, after fault: Failure) {
        setAside.continuation.yield((id, fault))
    }

    /// Counts a failed attempt, and returns the number of this process's failed attempts at the upload.
    func countAttempt(_ id: PostID) -> Int {
        state.withLock { state in
            state.uploads[id]?.attempts += 1
            return state.uploads[id]?.attempts ?? 1
        }
    }

    /// Puts uploads that were set aside back into the queue once `wait` has returned for them, until the queue is
    /// closed.
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
