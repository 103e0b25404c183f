import Concurrency
package import Logging
import Model
package import Tree

/// Performs pending follow-up tasks, step by step, some of each kind in turn, so that many tasks of one kind do not
/// delay those of another.
///
/// It may be stopped at any point: a follow-up task's record is deleted with its last step, in one update.
package final class FollowUpTaskWorker: Sendable {
    /// The number of follow-up tasks of one kind that are processed before those of the next.
    private static let batch = 32

    private let tree: TreeStore
    private let tasks: [any FollowUpTask]
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let onFailure: @Sendable (FollowUpTaskKind) -> Void

    /// - Parameters:
    ///   - uploads: Ends the uploads of a deleted person.
    ///   - onFailure: Is called after each step that fails, and will be tried again.
    package convenience init(
        _ tree: TreeStore, uploads: (any UploadCleanup)? = nil, clock: @escaping @Sendable () -> Timestamp,
        logger: Logger, onFailure: @escaping @Sendable (FollowUpTaskKind) -> Void = { _ in }
    ) {
        self.init(
            tree,
            tasks: [
                DeletedPersonTask(uploads: uploads), DeletedPostTask(), DeletedAudienceTask(), UnfollowTask(),
                BackfillTask(),
                HomeFeedTask(),
                RenameTask(),
            ],
            clock: clock, logger: logger, onFailure: onFailure)
    }

    init(
        _ tree: TreeStore, tasks: [any FollowUpTask], clock: @escaping @Sendable () -> Timestamp, logger: Logger,
        onFailure: @escaping @Sendable (FollowUpTaskKind) -> Void = { _ in }
    ) {
        self.tree = tree
        self.tasks = tasks
        self.clock = clock
        self.logger = logger
        self.onFailure = onFailure
    }

    /// Works until the task is cancelled.
    package func run() async {
        await tree.work(round: runRound) {
            let hasFailed = try await tree.snapshot { try $0.exists(WorkNodes.followUpTask()) }
            return .seconds(hasFailed ? 1 : 60)
        }
    }

    /// Performs all pending work.
    package func runAll() async throws {
        while try await runRound() {}
    }

    /// Performs a step of a follow-up task at once, for a waiting caller.
    ///
    /// - Returns: Whether it was due.
    func step(_ pending: PendingFollowUpTask) async throws -> Bool {
        guard pending.due <= clock(), let task = tasks.first(where: { type(of: $0).kind == pending.kind }) else {
            return false
        }
        try await step(task, of: pending)
        return true
    }

    /// Performs at least one step of each follow-up task that is due.
    ///
    /// - Returns: Whether any was due.
    func runRound() async throws -> Bool {
        guard try await tree.snapshot({ try $0.exists(WorkNodes.followUpTask()) }) else { return false }
        var hasWorked = false
        var ranges = Array(repeating: KeyRange.all, count: tasks.count)
        // The kinds whose follow-up tasks have not all been processed; those of other kinds start again meanwhile.
        var unfinished = Set(tasks.indices)
        while !unfinished.isEmpty {
            for (index, task) in tasks.enumerated() {
                let kind = type(of: task).kind
                let page = try await tree.children(of: kind.path, range: ranges[index], limit: Self.batch)
                for pending in page.map({ PendingFollowUpTask(kind, $0) }) where pending.due <= clock() {
                    try Task.checkCancellation()
                    hasWorked = true
                    try await step(task, of: pending)
                }
                if page.count == Self.batch, let last = page.last {
                    ranges[index] = .after(last.key)
                } else {
                    ranges[index] = .all
                    unfinished.remove(index)
                }
            }
        }
        return hasWorked
    }

    /// Performs a step; a failed step is retried with a growing delay, and does not block other tasks.
    private func step(_ task: any FollowUpTask, of pending: PendingFollowUpTask) async throws {
        do {
            try await tree.transact { snapshot, update in
                guard let now = try PendingFollowUpTask(pending.kind, pending.subject, in: snapshot) else { return }
                update.makesRoom = now.kind.makesRoom
                try task.bringOn(now, in: snapshot, &update)
            }
        } catch let error as TreeError where error.code != .closed {
            logger.warning(
                "a job cannot go on",
                metadata: ["job": "\(pending.kind.rawValue)", "of": "\(pending.subject)", "fault": "\(error)"])
            onFailure(pending.kind)
            let due = clock() + .milliseconds(Backoff.milliseconds(afterAttempt: pending.attempts + 1))
            try await tree.transact { snapshot, update in
                guard let now = try PendingFollowUpTask(pending.kind, pending.subject, in: snapshot) else { return }
                update[now.path / "attempts"] = .integer(Int64(now.attempts) + 1)
                update[now.path / "error"] = .string(error.message)
                update[now.path / "due"] = due.value
            }
        }
    }
}

extension FollowUpTask {
    /// Performs a step, and records the position at which the next one begins.
    func bringOn(
        _ pending: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        let next = try step(pending, in: snapshot, &update)
        if let next { update[pending.path / "position"] = .string(next) } else { update[pending.path] = nil }
    }
}
