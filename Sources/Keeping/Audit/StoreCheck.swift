package import API
import Files
import Model
import Social
import Store
import Tree
import Uploads

/// Compares everything in the store with everything else, beside the service: each record, list and number of the tree with
/// what it follows from, each file with what names it, and, where asked for, its bytes with what they were.
///
/// Each part is looked at in one state of the tree, so that what others do meanwhile is never taken for damage. What is
/// mended is looked at once more by who mends it (``Repairer``).
package struct StoreCheck: Sendable {
    /// How many parts are looked at side by side; one after the other where something is changed.
    private static let width = 3

    private let tools: StoreCheckTools
    private let order: StoreCheckOrder

    package init(_ tools: StoreCheckTools, _ order: StoreCheckOrder) {
        (self.tools, self.order) = (tools, order)
    }

    /// Does it, and tells each finding and, some times a second, how far it is. Cancel the task to stop it anywhere.
    ///
    /// - Returns: The last step.
    /// - Throws: `Failure` `too_much_garbage` when more would be deleted than may be: nothing is deleted then;
    ///   `CancellationError`; a fault of the service.
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
            // What was found holds on a disk that is full or read-only, too.
            last.unkept = IntakePause(error).message
        }
        return last
    }

    /// The number of posts that there are, or that one person has.
    private func total() async throws -> Int {
        let lists = PostIDLists.all(of: order.user).lists
        return try await tools.tree.snapshot(size: .large) { snapshot in
            try lists.reduce(0) { sum, list in try sum + snapshot.childCount(of: list) }
        }
    }

    /// Looks how much would be deleted, before anything is.
    private func requireSmallShare() async throws {
        var plan = order
        plan.changes = false
        let result = try await StoreCheck(tools, plan).run { _ in }
        guard Double(result.garbage) > order.maxShare * Double(result.bytes) else { return }
        let percent = Int((100 * Double(result.garbage) / Double(max(1, result.bytes))).rounded(.up))
        throw Failure(
            .tooMuchGarbage,
            "\(percent) % of the store would be deleted: \(result.garbage) of \(result.bytes) bytes",
            hint: "see whether the tree is the right one; then say how much may go: --max-share \(percent)")
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
                + "whoever asks for what came after an earlier one never hears of them"
            let mend = Finding.Mend.forgetChanges(before: gap.end)
            try await run.note(Finding(.changesMissing, path: "tree.sqlite", message: message, mend: mend), report)
        }
    }

    /// Looks whether the rules of each tree can be read.
    ///
    /// - Returns: Whether they can be where the service itself writes by them.
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

    /// All that there is to look at, each in pages.
    private func surveys(_ context: StoreCheckRun.Context) -> [any StoreCheckSurvey] {
        let looksAtAll = order.user == nil && order.looksAtRecords
        let rules = looksAtAll && order.action != .gc ? tools.rules : []
        // What a repair has mended is right for the rules that come after.
        let onTheWay = order.changes ? [] : rules.filter { $0.list?.list == UploadNodes.upload() }
        let others = order.changes ? rules : rules.filter { $0.list?.list != UploadNodes.upload() }
        var surveys = RuleSurvey.surveys(by: others, inOrder: order.changes, of: tools.tree)
        let folders = FolderSurvey(ofUploadsIn: tools.storage, order, context, rules: onTheWay)
        // The longest first, so that others are looked at beside it.
        surveys.insert(folders, at: order.changes ? surveys.endIndex : 0)
        if order.user == nil { surveys.append(FolderSurvey(ofObjectsIn: tools.storage, order, context)) }
        if looksAtAll { surveys.append(StraySurvey(in: tools.storage)) }
        return surveys
    }
}
