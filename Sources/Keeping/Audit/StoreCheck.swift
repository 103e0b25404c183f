package import API
import Files
import Model
import Social
import Store
import Tree
import Uploads

/// Checks the whole store while the service runs: each record, list and counter of the tree against the data from which
/// it follows, each file against the nodes that name it, and, on request, its bytes against their digests.
///
/// Each part is checked in one state of the tree, so that concurrent changes are never mistaken for damage. Before a
/// repair, the finding is checked once more (``Repairer``).
package struct StoreCheck: Sendable {
    /// The number of parts that are checked concurrently; a check that changes the store does them one after the other.
    private static let width = 3

    private let tools: StoreCheckTools
    private let order: StoreCheckOrder

    package init(_ tools: StoreCheckTools, _ order: StoreCheckOrder) {
        (self.tools, self.order) = (tools, order)
    }

    /// Runs the check, and reports each finding and, several times a second, the progress. Cancel the task to stop it
    /// at any point.
    ///
    /// - Returns: The last step.
    /// - Throws: `Failure` `too_much_garbage` if more would be deleted than is allowed, in which case nothing is
    ///   deleted; `CancellationError`; a fault of the service.
    package func run(_ report: (StoreCheckStep) async throws -> Void) async throws -> StoreCheckStepDocument {
        var run = StoreCheckRun(tools, order)
        try await run.begin(total: try await total(), report)
        if order.action == .gc, order.changes {
            if let hold = tools.storage.hold { throw hold }
            try await requireSmallShare()
        }
        if order.user == nil, order.action != .gc, order.looksAtRecords {
            try await lookAtStore(&run, report)
            let canWrite = try await lookAtRules(&run, report)
            guard tools.tree.health.finding == nil, canWrite || !order.changes else { return run.finish() }
        }
        try await run.go(through: surveys(run.context), sideBySide: order.changes ? 1 : Self.width, report)
        if order.action == .gc, order.changes {
            try await tools.garbage.collect()
            try await tools.storage.sweeps.sweep { try await tools.deletedPosts.sweep() }
        }
        run.end(total: try await total())
        var last = run.finish()
        do {
            try await tools.results.note(order, last)
        } catch let error as TreeError where error.isTransient {
            // The findings are valid even if the disk is full or read-only.
            last.unkept = IntakePause(error).message
        }
        return last
    }

    /// The number of all posts, or of those of one user.
    private func total() async throws -> Int {
        let lists = PostIDLists.all(of: order.user).lists
        return try await tools.tree.snapshot(size: .large) { snapshot in
            try lists.reduce(0) { sum, list in try sum + snapshot.childCount(of: list) }
        }
    }

    /// Checks the amount of garbage before anything is deleted.
    private func requireSmallShare() async throws {
        var plan = order
        plan.changes = false
        let result = try await StoreCheck(tools, plan).run { _ in }
        guard Double(result.garbage) > order.maxShare * Double(result.bytes) else { return }
        let percent = Int((100 * Double(result.garbage) / Double(max(1, result.bytes))).rounded(.up))
        throw Failure(
            .tooMuchGarbage,
            "\(percent) % of the store would be deleted: \(result.garbage) of \(result.bytes) bytes",
            hint: "Check that the tree is the right one, then allow a larger share with --max-share \(percent).")
    }

    // MARK: The store as a whole

    private func lookAtStore(_ run: inout StoreCheckRun, _ report: StoreCheckRun.Report) async throws {
        if let mismatch = tools.storage.age.mismatch {
            try await run.note(Finding(.storesDiffer, path: "tree.sqlite", message: mismatch.message), report)
        }
        var gap: ChangeGap?
        do {
            try await tools.tree.healthCheck.roundAtOnce()
            gap = try await ChangeLogCheck(tools.tree).gap()
        } catch {
            guard tools.tree.health.finding != nil else { throw error }
        }
        for row in tools.tree.health.damagedRows {
            let place = row.path.map(TreeInvariant.text) ?? "tree.sqlite"
            try await run.note(Finding(.treeDamaged, path: place, message: row.message), report)
        }
        if let damage = tools.tree.health.damage {
            try await run.note(Finding(.treeDamaged, path: "tree.sqlite", message: damage.message), report)
        }
        if let gap {
            let message =
                "some of the changes \(gap.first) to \(gap.end - 1) are missing from the change log, or not whole: "
                + "clients that resume from an earlier change never receive them"
            let mend = Finding.Mend.forgetChanges(before: gap.end)
            try await run.note(Finding(.changesMissing, path: "tree.sqlite", message: message, mend: mend), report)
        }
    }

    /// Checks whether the rules of each tree can be read.
    ///
    /// - Returns: Whether those of the tree in which the service itself writes can be read.
    private func lookAtRules(_ run: inout StoreCheckRun, _ report: StoreCheckRun.Report) async throws -> Bool {
        var canWrite = true
        for namespace in try await RulesCheck(tools.tree).namespaces() {
            do {
                try await RulesCheck(tools.tree).run(on: namespace)
            } catch {
                guard error.code == .unreadableRules else { throw error }
                if namespace == .main { canWrite = false }
                let place = namespace == .main ? "rules" : "rules?ns=\(namespace)"
                try await run.note(Finding(.rulesUnreadable, path: place, message: error.message), report)
            }
        }
        return canWrite
    }

    // MARK: Part by part

    /// The surveys of all parts, each of which works in pages.
    private func surveys(_ context: StoreCheckRun.Context) -> [any StoreCheckSurvey] {
        let looksAtAll = order.user == nil && order.looksAtRecords
        let rules = looksAtAll && order.action != .gc ? tools.rules : []
        // Invariants see the repairs of those before them.
        let onTheWay = order.changes ? [] : rules.filter { $0.list?.list == UploadNodes.upload() }
        let others = order.changes ? rules : rules.filter { $0.list?.list != UploadNodes.upload() }
        var surveys = RuleSurvey.surveys(by: others, inOrder: order.changes, of: tools.tree)
        let folders = FolderSurvey(ofUploadsIn: tools.storage, order, context, rules: onTheWay)
        // The longest survey first, so that the others run at the same time.
        surveys.insert(folders, at: order.changes ? surveys.endIndex : 0)
        if order.user == nil { surveys.append(FolderSurvey(ofObjectsIn: tools.storage, order, context)) }
        if looksAtAll { surveys.append(StraySurvey(in: tools.storage)) }
        return surveys
    }
}
