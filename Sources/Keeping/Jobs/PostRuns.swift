package import API
package import Logging
import Model
import ServiceLifecycle
import Synchronization
package import Tree
package import TreeModel
import Uploads

/// Jobs over posts that go on without whoever began them. One runs at a time; how far it is stands in the tree, so that
/// a start goes on where the last run ended, and one that was paused stays so.
package final class PostRuns: Sendable {
    /// How many jobs that have ended are kept.
    private static let kept = 20
    /// How many posts of a list are written at a time.
    private static let listPage = 1000
    /// The age at which a list without a job is deleted.
    private static let listPatience = Duration.seconds(3600)
    /// How much of a run a crash may have it look at again.
    private static let saveInterval = Duration.seconds(1)

    private struct State {
        var jobs: [PushID: PostRun] = [:]
        var isLoaded = false
        /// The work that is being done; what is not wanted any more may take a while to end.
        var current: Work?
    }

    private struct Work {
        let id: PushID
        let task: Task<Void, Never>
        var isWanted = true
    }

    private let tree: TreeStore
    private let ids: PushIDGenerator
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let state = Mutex(State())
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(_ tree: TreeStore, ids: PushIDGenerator, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        (self.tree, self.ids, self.clock, self.logger) = (tree, ids, clock, logger)
    }

    // MARK: What operators ask for

    /// The jobs that there are, the newest first.
    package func list() async throws -> [PostRun] {
        try await load()
        return known
    }

    /// The jobs that are known without a look at the tree, the newest first.
    package var known: [PostRun] {
        state.withLock { Array($0.jobs.values) }.sorted { $0.id.string > $1.id.string }
    }

    /// Begins a job, durably.
    ///
    /// - Throws: `Failure` with the code `job_running` while another one runs.
    package func begin(_ order: BatchOrder) async throws -> PostRun {
        try await load()
        var job = PostRun(
            id: ids.next(), kind: order.kind, selection: order.selection, switches: order.switches, createdAt: clock())
        (job.recipes, job.rule, job.pace) = (order.recipes, order.rule, order.pace)
        (job.selection.list, job.progress.total) = (order.posts.map { _ in job.id }, Set(order.posts ?? []).count)
        try state.withLock { state throws(Failure) in try Self.requireIdle(state) }
        try await keep(order.posts ?? [], for: job.id)
        let old = try state.withLock { [job] state throws(Failure) in
            try Self.requireIdle(state)
            state.jobs[job.id] = job
            let ended = state.jobs.values.filter(\.isForgettable).sorted { $0.id.string > $1.id.string }
            let old = ended.dropFirst(Self.kept)
            for job in old { state.jobs[job.id] = nil }
            return old
        }
        try await settle(job.id, orBackTo: nil, forgetting: Array(old))
        logger.notice("a job began", metadata: ["job": "\(job.id)", "kind": "\(job.kind.rawValue)"])
        return job
    }

    /// Keeps the list of posts that somebody has given for a job.
    private func keep(_ posts: [PostID], for job: PushID) async throws {
        for start in stride(from: 0, to: posts.count, by: Self.listPage) {
            var update = MultiPathUpdate()
            for post in posts[start..<min(start + Self.listPage, posts.count)] {
                update[WorkNodes.postList(job) / post.key] = true
            }
            try await tree.update(update)
        }
    }

    /// Forgets a job that has ended.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` for one that has not ended, or whose renditions nobody has seen yet.
    package func remove(_ id: PushID) async throws {
        try await load()
        let job = try state.withLock { state throws(Failure) in
            let job = try Self.job(id, in: state)
            guard job.isForgettable else {
                throw Failure(
                    .wrongState, "the job is \(job.state.rawValue)",
                    hint: job.state.isEnded
                        ? "roll it back first: it has made renditions that nobody has seen" : "cancel it first")
            }
            state.jobs[id] = nil
            return job
        }
        try await settle(id, orBackTo: job, forgetting: [job])
    }

    /// Ends the work on a job for now, or takes it up again, or ends it for good.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` for what has ended, or is as it is to be; `job_running` when
    ///   another one runs.
    package func set(_ id: PushID, to new: PostRunState) async throws -> PostRun {
        try await load()
        let (old, job, task) = try state.withLock {
            state throws(Failure) -> (PostRun, PostRun, Task<Void, Never>?) in
            let old = try Self.job(id, in: state)
            var job = old
            guard [.running, .paused].contains(job.state), job.state != new else { throw Self.wrongState(job) }
            if new == .running { try Self.requireIdle(state) }
            job.state = new
            if new.isEnded { job.endedAt = clock() }
            state.jobs[id] = job
            guard new != .running, state.current?.id == id else { return (old, job, nil) }
            state.current?.isWanted = false
            return (old, job, state.current?.task)
        }
        task?.cancel()
        try await settle(id, orBackTo: old)
        return job
    }

    /// Has the posts of a job show what it has rendered; or has them show what they showed before, and what nobody has seen go.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` for a job that is not so far, or that has nothing to take back;
    ///   `job_running` when another one runs.
    package func begin(_ phase: PostRunPhase, of id: PushID) async throws -> PostRun {
        try await load()
        let (old, job) = try state.withLock { state throws(Failure) in
            let old = try Self.job(id, in: state)
            var job = old
            let isPossible =
                switch phase {
                case .render: false
                case .switch: job.state == .prepared
                case .rollback:
                    job.kind == .rethumb && [.prepared, .finished, .cancelled, .failed].contains(job.state)
                }
            guard isPossible else { throw Self.wrongState(job) }
            try Self.requireIdle(state)
            job.begin(phase)
            state.jobs[id] = job
            return (old, job)
        }
        try await settle(id, orBackTo: old)
        logger.notice("a job goes on", metadata: ["job": "\(id)", "phase": "\(phase.rawValue)"])
        return job
    }

    private static func job(_ id: PushID, in state: State) throws(Failure) -> PostRun {
        guard let job = state.jobs[id] else {
            throw Failure(.notFound, "there is no job \(id)", hint: "GET /v1/jobs lists them")
        }
        return job
    }

    private static func wrongState(_ job: PostRun) -> Failure {
        Failure(.wrongState, "the job is \(job.state.rawValue)", hint: "GET /v1/jobs tells how each is")
    }

    private static func requireIdle(_ state: State) throws(Failure) {
        guard let running = state.jobs.values.first(where: { $0.state == .running }) else { return }
        throw Failure(
            .jobRunning, "a job is running: \(running.kind.rawValue), \(running.id)",
            hint: "wait for its end, pause it, or cancel it")
    }

    // MARK: The work

    /// Does what is to be done, until a shutdown; a job that is cut off then goes on at the next start.
    ///
    /// - Parameter slot: Room for one job over posts at a time.
    package func run(with tools: PostTools, in slot: PostRunSlot) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled, (try? await self.load()) == nil {
                try? await Task.sleep(for: .seconds(1))
            }
            self.wakes.continuation.yield()
            for await _ in self.wakes.stream {
                while !Task.isCancelled, let job = self.next { await self.work(on: job.id, tools, slot) }
            }
        }
    }

    private var next: PostRun? { known.last { $0.state == .running } }

    private func work(on id: PushID, _ tools: PostTools, _ slot: PostRunSlot) async {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard let job = state.jobs[id], job.state == .running else { return nil }
            let task = Task { await self.attempt(job, tools, slot) }
            state.current = Work(id: id, task: task)
            return task
        }
        guard let task else { return }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.current = nil }
    }

    private func attempt(_ job: PostRun, _ tools: PostTools, _ slot: PostRunSlot) async {
        do {
            let ticket = try await slot.wait()
            defer { withExtendedLifetime(ticket) {} }
            var stopwatch = Stopwatch()
            _ = try await job.job(with: tools).run(from: job.progress, at: job.pace) { progress in
                let milliseconds = stopwatch.lap()
                self.change(job.id) {
                    $0.progress = progress
                    $0.activeMilliseconds += milliseconds
                }
                guard stopwatch.isDue(after: Self.saveInterval) else { return }
                try await self.save(job.id)
            }
            end(job.id, nil)
        } catch is CancellationError {
            // Whoever cancelled it has said what it is to be.
        } catch {
            guard !Task.isCancelled else { return }
            end(job.id, Failure(error).description)
        }
        // What cannot be written now is looked at again after the next start. That the job was cut off does not cut this off.
        await Task { try? await self.save(job.id) }.value
    }

    private func end(_ id: PushID, _ fault: String?) {
        change(id) { job in
            guard job.state == .running else { return }
            (job.state, job.fault) = (fault == nil ? job.stateAtEnd : .failed, fault)
            job.endedAt = job.state.isEnded ? self.clock() : nil
        }
        logger.notice("a job ended", metadata: ["job": "\(id)", "fault": "\(fault ?? "none")"])
    }

    // MARK: The records

    /// Notes what the work on a job has come to, as long as that is wanted: it may be at the next phase already.
    private func change(_ id: PushID, _ change: (inout PostRun) -> Void) {
        state.withLock { state in
            guard let work = state.current, work.id == id, work.isWanted, var job = state.jobs[id] else { return }
            change(&job)
            state.jobs[id] = job
        }
    }

    private func load() async throws {
        guard !state.withLock(\.isLoaded) else { return }
        let jobs = try await tree.children(of: WorkNodes.postRun()).compactMap { PostRun($0) }
        // Whoever gave a list may have been cut off before the job was there.
        for list in try await tree.keys(of: WorkNodes.postList()) where !jobs.contains(where: { $0.id.key == list }) {
            guard let id = PushID(list.string), id.timestamp < clock() - Self.listPatience else { continue }
            try await tree.set(WorkNodes.postList() / list, to: nil)
        }
        state.withLock { state in
            guard !state.isLoaded else { return }
            state.isLoaded = true
            for job in jobs { state.jobs[job.id] = job }
        }
    }

    /// Writes what an operator has said of a job; what cannot be written is as it was.
    private func settle(_ id: PushID, orBackTo old: PostRun?, forgetting ended: [PostRun] = []) async throws {
        defer { wakes.continuation.yield() }
        do { try await save(id, forgetting: ended.map(\.id)) } catch {
            state.withLock { state in
                for job in ended { state.jobs[job.id] = job }
                state.jobs[id] = old
            }
            throw error
        }
    }

    /// Writes a job as it is when that is committed, so that what is written last is what was so last.
    private func save(_ id: PushID, forgetting old: [PushID] = []) async throws {
        try await tree.transact(at: "job-saved") { _, update in
            update[WorkNodes.postRun(id)] = self.state.withLock { $0.jobs[id]?.value }
            for id in old {
                update[WorkNodes.postRun(id)] = nil
                update[WorkNodes.rethumbRun(id)] = nil
                update[WorkNodes.postList(id)] = nil
            }
        }
    }
}
