package import API
import Model
import Synchronization
package import Tree
package import TreeModel

/// The results of the last store checks, kept in the tree: `audits/{check or verify}` of the pipeline's own.
package final class StoreCheckResults: Sendable {
    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp
    private let known = Mutex<[StoreCheckAction: StoreCheckResultDocument]>([:])
    private let readBytes = Atomic(0)

    package init(_ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp) {
        (self.tree, self.clock) = (tree, clock)
    }

    /// The result of the last check of a kind; nil if there was none.
    package subscript(action: StoreCheckAction) -> StoreCheckResultDocument? { known.withLock { $0[action] } }

    /// The number of bytes that were read and compared since the start.
    package var readByteCount: Int { readBytes.load(ordering: .relaxed) }

    /// Loads the stored results.
    func load() async throws {
        for action in [StoreCheckAction.check, .verify] {
            guard let result = StoreCheckResultDocument(try await tree.get(Self.path(of: action)), at: nil) else {
                continue
            }
            known.withLock { $0[action] = $0[action] ?? result }
        }
    }

    /// Records the result of a check of the whole store.
    func note(_ order: StoreCheckOrder, _ step: StoreCheckStepDocument) async throws {
        readBytes.add(step.read, ordering: .relaxed)
        guard order.user == nil, order.sample >= 1 else { return }
        switch order.action {
        case .check, .verify: try await keep(order.action, StoreCheckResultDocument(endedAt: clock(), step))
        // The findings that a repair leaves are those of a check.
        case .repair: try await keep(.check, StoreCheckResultDocument(endedAt: clock(), step))
        case .gc:
            guard order.changes, let last = self[.check] else { return }
            let others = last.findings.filter { FindingKind(rawValue: $0.key)?.remedy != .gc }
            let findings = others.merging(step.findings) { $1 }
            try await keep(
                .check, StoreCheckResultDocument(endedAt: last.endedAt, posts: last.posts, findings: findings))
        }
    }

    private static func path(of action: StoreCheckAction) -> TreePath {
        StoreNodes.audit(TreeKey(unchecked: action.rawValue))
    }

    private func keep(_ action: StoreCheckAction, _ result: StoreCheckResultDocument) async throws {
        known.withLock { $0[action] = result }
        try await tree.set(Self.path(of: action), to: result.value)
    }
}

extension StoreCheckResultDocument {
    fileprivate init(endedAt: Timestamp, _ step: StoreCheckStepDocument) {
        self.init(endedAt: endedAt.milliseconds, posts: step.done, findings: step.findings)
    }
}

extension StoreCheckResultDocument: TreeRecord {
    package static let form = RecordForm(
        Self.init(endedAt:posts:findings:), .init("ended_at", \.endedAt), .init("posts", \.posts, orElse: 0),
        .init("findings", \.findings, default: [:]))
}
