import API
import Concurrency
import Model
import Social
import Store
import Tree

/// An audit under way: what has been counted and told so far.
struct StoreCheckRun {
    typealias Report = (StoreCheckStep) async throws -> Void

    /// What all who look at folders share.
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

    /// Takes in what was found on a page: tells it, mends it where that is what the audit is for, and writes what is to be.
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

    /// Tells a finding; mends it, where that is what the audit is for.
    mutating func note(_ finding: Finding, _ report: Report) async throws {
        var document = finding.document
        let kind = document.kind
        // An audit that deletes is not asked about the rest.
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

    /// - Returns: False when it is none any more.
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

    /// Tells how far it is, if that was told a while ago.
    mutating func tell(_ report: Report) async throws {
        try Task.checkCancellation()
        guard ContinuousClock.now - lastTold >= Self.interval else { return }
        lastTold = .now
        step.read = context.limiter.count
        try await report(.step(step))
    }

    /// Notes that all has been looked at, the posts without a folder, too, which clients of the database wrote.
    ///
    /// - Parameter total: The number of posts that there are by now.
    mutating func end(total: Int) { (step.done, step.total) = (total, total) }

    mutating func finish() -> StoreCheckStepDocument {
        step.read = context.limiter.count
        step.finished = true
        return step
    }
}
