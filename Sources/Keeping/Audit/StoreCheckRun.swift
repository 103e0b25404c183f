import API
import Concurrency
import Model
import Social
import Store
import Tree

/// The state of a running store check: the counts and the progress so far.
struct StoreCheckRun {
    typealias Report = (StoreCheckStep) async throws -> Void

    /// The tools that all surveys of folders share.
    struct Context: Sendable {
        let clock: @Sendable () -> Timestamp
        let garbage: GarbageNames
        let limiter: RateLimiter
    }

    private static let interval = Duration.milliseconds(250)

    let context: Context
    private let tools: StoreCheckTools
    private let order: StoreCheckOrder
    private var step: StoreCheckStepDocument
    private var lastTold = ContinuousClock.now

    init(_ tools: StoreCheckTools, _ order: StoreCheckOrder) {
        (self.tools, self.order) = (tools, order)
        context = Context(
            clock: tools.clock, garbage: GarbageNames(), limiter: RateLimiter(perSecond: order.bytesPerSecond))
        step = StoreCheckStepDocument(order.action)
    }

    mutating func begin(total: Int, _ report: Report) async throws {
        try await tools.tree.snapshot { [context] snapshot in try context.garbage.update(in: snapshot) }
        step.total = total
        try await report(.step(step))
    }

    /// Processes the results of a page: reports the findings, repairs them if the check does that, and writes the
    /// page's values.
    mutating func take(_ page: StoreCheckPage, _ report: Report) async throws {
        step.done += page.posts
        step.total = max(step.total, step.done)
        step.files += page.files
        step.bytes += page.bytes
        for finding in page.findings { try await note(finding, report) }
        if !page.writes.isEmpty {
            var update = MultiPathUpdate()
            update.scope = .none
            for (path, value) in page.writes { update[path] = value }
            try await tools.tree.update(update)
        }
        try await tell(report)
    }

    /// Reports a finding, after repairing it if the check does that.
    mutating func note(_ finding: Finding, _ report: Report) async throws {
        var document = finding.document
        let kind = document.kind
        // A check that deletes reports nothing else.
        guard order.action != .gc || kind.remedy == .gc else { return }
        if kind.remedy == .gc { step.garbage += document.bytes ?? 0 }
        if order.changes, order.remedy == kind.remedy, let mend = finding.mend {
            guard try await self.mend(mend, &document) else { return }
        }
        switch document.outcome {
        case .repaired, .deleted: step.mended += 1
        case .found, .failed: step.findings[kind.rawValue, default: 0] += 1
        }
        try await report(.finding(document))
    }

    /// - Returns: False if the finding does not hold any longer.
    private func mend(_ mend: Finding.Mend, _ document: inout FindingDocument) async throws -> Bool {
        do {
            guard try await Repairer(tools, knowing: context.garbage).mend(mend) else { return false }
            document.outcome = document.kind.remedy == .gc ? .deleted : .repaired
        } catch let error where error is CancellationError || (error as? TreeError)?.code == .closed {
            throw error
        } catch {
            (document.outcome, document.failure) = (.failed, Failure(error).description)
        }
        return true
    }

    /// Reports the progress, if the last report is old enough.
    mutating func tell(_ report: Report) async throws {
        try Task.checkCancellation()
        guard ContinuousClock.now - lastTold >= Self.interval else { return }
        lastTold = .now
        step.read = context.limiter.count
        try await report(.step(step))
    }

    /// Records that everything has been checked, including the posts without a folder, which clients of the database
    /// wrote.
    ///
    /// - Parameter total: The present number of posts.
    mutating func end(total: Int) { (step.done, step.total) = (total, total) }

    mutating func finish() -> StoreCheckStepDocument {
        step.read = context.limiter.count
        step.finished = true
        return step
    }
}
