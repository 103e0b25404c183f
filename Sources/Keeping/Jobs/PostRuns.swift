package import API
package import Logging
import Model
import ServiceLifecycle
import Synchronization
package import Tree
package import TreeModel
import Uploads

/// The jobs over posts that run without a client. One runs at a time. Its progress is stored in the tree, so that a job
/// continues after a restart where it stopped; a paused job stays paused.
package final class PostRuns: Sendable {
    /// The number of ended jobs whose records are kept.
    private static let kept = 20
    /// The number of posts of a list that are written in one update.
    private static let listPage = 1000
    /// The age at which a list without a job is deleted.
    private static let listPatience = Duration.seconds(3600)
    /// The interval at which progress is saved; after a crash, at most this much work is repeated.
    private static let saveInterval = Duration.seconds(1)

    private struct State {
        var jobs: [PushID: PostRun] = [:]
        var isLoaded = false
        /// The work in progress; work that was cancelled may take a while to end.
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

    // MARK: Operations

    /// All jobs, the newest first.
    package func list() async throws -> [PostRun] {
        try await load()
        return known
    }

    /// The jobs in memory, without a read of the tree, the newest first.
    package var known: [PostRun] {
        state.withLock { Array($0.jobs.values) }.sorted { $0.id.string > $1.id.string }
    }

    /// Starts a job; durable on return.
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
        logger.notice("a job started", metadata: ["job": "\(job.id)", "kind": "\(job.kind.rawValue)"])
        return job
    }

    /// Stores the list of posts that was given for a job.
    private func keep(_ posts: [PostID], for job: PushID) async throws {
        for start in stride(from: 0, to: posts.count, by: Self.listPage) {
            var update = MultiPathUpdate()
            for post in posts[start..<min(start + Self.listPage, posts.count)] {
                update[WorkNodes.postList(job) / post.key] = true
            }
            try await tree.update(update)
        }
    }

    /// Deletes the record of a job that has ended.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` if the job has not ended, or has renditions that no post shows
    ///   yet.
    package func remove(_ id: PushID) async throws {
        try await load()
        let job = try state.withLock { state throws(Failure) in
            let job = try Self.job(id, in: state)
            guard job.isForgettable else {
                throw Failure(
                    .wrongState, "the job is \(job.state.rawValue)",
                    hint: job.state.isEnded
                        ? "Roll it back first: no post shows the renditions that it has made." : "Cancel it first.")
            }
            state.jobs[id] = nil
            return job
        }
        try await settle(id, orBackTo: job, forgetting: [job])
    }

    /// Pauses, resumes or cancels a job.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` if it has ended or is in that state already; `job_running`.
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

    /// Starts the switch to the renditions of a job, or the rollback, which deletes renditions that were never shown.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` if the job is not ready, or has nothing to roll back; `job_running`.
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
        logger.notice("a job continues", metadata: ["job": "\(id)", "phase": "\(phase.rawValue)"])
        return job
    }

    private static func job(_ id: PushID, in state: State) throws(Failure) -> PostRun {
        guard let job = state.jobs[id] else {
            throw Failure(.notFound, "the job \(id) does not exist", hint: "List them with GET /v1/jobs.")
        }
        return job
    }

    private static func wrongState(_ job: PostRun) -> Failure {
        Failure(
            .wrongState, "the job is \(job.state.rawValue)", hint: "List the jobs with their states with GET /v1/jobs.")
    }

    private static func requireIdle(_ state: State) throws(Failure) {
        guard let running = state.jobs.values.first(where: { $0.state == .running }) else { return }
        throw Failure(
            .jobRunning, "a job is running: \(running.kind.rawValue), \(running.id)",
            hint: "Wait for its end, pause it, or cancel it.")
    }

    // MARK: The work

    /// Runs jobs until a shutdown; a job that is interrupted by it continues at the next start.
    ///
    /// - Parameter slot: The lock that allows one job over posts at a time.
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
            // The caller that cancelled the work has set the new state.
        } catch {
            guard !Task.isCancelled else { return }
            end(job.id, Failure(error).description)
        }
        // If the save fails, the next start resumes from the saved progress. The current task may be cancelled.
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

    /// Updates a job from its work, unless that was cancelled meanwhile; the job may be in its next phase already.
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
        // A crash may have come between the write of a list and that of its job.
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

    /// Saves a change of an operator; restores the old state if the save fails.
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

    /// Writes the state that the job has at the time of the commit, so that the last write has the last state.
    private func save(_ id: PushID, forgetting old: [PushID] = []) async throws {
        try await tree.transact(at: "job-saved") { _, update in
            update[WorkNodes.postRun(id)] = self.state.withLock { $0.jobs[id]?.saved(at: self.clock()) }
            for id in old {
                update[WorkNodes.postRun(id)] = nil
                update[WorkNodes.rethumbRun(id)] = nil
                update[WorkNodes.postList(id)] = nil
            }
        }
    }
}
