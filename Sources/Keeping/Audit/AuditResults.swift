package import API
import Posts
import Synchronization
package import Tree

/// What the last audits came to, kept in the tree: `audits/{check or verify}` of the pipeline's own.
package final class AuditResults: Sendable {
    private let tree: TreeStore
    private let clock: @Sendable () -> Int64
    private let known = Mutex<[AuditAction: AuditResultDocument]>([:])
    private let readBytes = Atomic(0)

    package init(_ tree: TreeStore, clock: @escaping @Sendable () -> Int64) {
        (self.tree, self.clock) = (tree, clock)
    }

    /// The last audit of a kind; nil when there was none.
    package subscript(action: AuditAction) -> AuditResultDocument? { known.withLock { $0[action] } }

    /// How many bytes of files were read and compared since the start.
    package var readByteCount: Int { readBytes.load(ordering: .relaxed) }

    /// Reads what is kept.
    func load() async throws {
        for action in [AuditAction.check, .verify] {
            guard let result = AuditResultDocument(try await tree.get(Paths.audit(action))) else { continue }
            known.withLock { $0[action] = $0[action] ?? result }
        }
    }

    /// Takes in what an audit of everything has come to.
    func note(_ order: AuditOrder, _ step: AuditStepDocument) async throws {
        readBytes.add(step.read, ordering: .relaxed)
        guard order.user == nil, order.sample >= 1 else { return }
        switch order.action {
        case .check, .verify: try await keep(order.action, AuditResultDocument(endedAt: clock(), step))
        // What is left behind these is what a check would find.
        case .repair: try await keep(.check, AuditResultDocument(endedAt: clock(), step))
        case .gc:
            guard order.changes, let last = self[.check] else { return }
            let others = last.findings.filter { FindingKind(rawValue: $0.key)?.remedy != .gc }
            let findings = others.merging(step.findings) { $1 }
            try await keep(
                .check, AuditResultDocument(endedAt: last.endedAt, posts: last.posts, findings: findings))
        }
    }

    private func keep(_ action: AuditAction, _ result: AuditResultDocument) async throws {
        known.withLock { $0[action] = result }
        try await tree.set(Paths.audit(action), to: result.value)
    }
}

extension Paths {
    fileprivate static func audit(_ action: AuditAction) -> TreePath {
        TreePath(["audits", TreeKey(unchecked: action.rawValue)], in: .pipeline)
    }
}

extension AuditResultDocument {
    fileprivate init(endedAt: Int64, _ step: AuditStepDocument) {
        self.init(endedAt: endedAt, posts: step.done, findings: step.findings)
    }

    fileprivate init?(_ value: TreeValue?) {
        guard let endedAt = value?["ended_at"]?.integerValue else { return nil }
        var findings: [String: Int] = [:]
        for (kind, count) in value?["findings"]?.object ?? [:] {
            findings[kind.string] = Int(clamping: count.integerValue ?? 0)
        }
        self.init(endedAt: endedAt, posts: Int(clamping: value?["posts"]?.integerValue ?? 0), findings: findings)
    }

    fileprivate var value: TreeValue {
        var counts: [TreeKey: TreeValue] = [:]
        for (kind, count) in findings { counts[TreeKey(unchecked: kind)] = .integer(Int64(count)) }
        return ["ended_at": .integer(endedAt), "posts": .integer(Int64(posts)), "findings": .object(counts)]
    }
}
