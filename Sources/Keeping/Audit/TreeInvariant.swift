package import API
import Social
package import Tree
import Uploads

/// A statement that is true of all nodes that match a pattern while the tree is sound.
package struct TreeInvariant: Sendable {
    /// The test of a node.
    enum Check: Sendable {
        /// Returns the writes that make the node right; empty if it is.
        case mend(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite])
        /// Returns a description of a fault that cannot be repaired; nil if there is none.
        case report(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> String?)
    }

    let kind: FindingKind
    let place: TreePattern
    private let check: Check

    package init(
        _ kind: FindingKind, at place: TreePattern,
        mend: @escaping @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite]
    ) {
        (self.kind, self.place, check) = (kind, place, .mend(mend))
    }

    package init(
        _ kind: FindingKind, at place: TreePattern,
        report: @escaping @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> String?
    ) {
        (self.kind, self.place, check) = (kind, place, .report(report))
    }

    /// The faults of one node.
    func findings(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> [Finding] {
        switch check {
        case .report(let report):
            guard let message = try report(node, snapshot) else { return [] }
            return [Finding(kind, path: Self.text(node), message: message)]
        case .mend:
            var findings: [Finding] = []
            for write in try writes(at: node, in: snapshot) {
                let present = try snapshot.get(write.path)
                findings.append(
                    Finding(
                        kind, path: Self.text(write.path), message: Self.sentence(present, write.value),
                        mend: .node(self, node)))
            }
            return findings
        }
    }

    /// The writes that make one node right.
    func writes(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        guard case .mend(let mend) = check else { return [] }
        var missing: [TreeWrite] = []
        for write in try mend(node, snapshot) where try snapshot.get(write.path) != write.value {
            missing.append(write)
        }
        return missing
    }

    /// A path in the tree as text for people, with the name of the tree if that is one of the service's own.
    static func text(_ path: TreePath) -> String {
        path.namespace.isReserved ? "\(path.namespace.name.drop { $0 == "." }):\(path)" : "\(path)"
    }

    private static func sentence(_ present: TreeValue?, _ wanted: TreeValue?) -> String {
        switch (present, wanted) {
        case (_, nil): "the entry has no cause in the data"
        case (nil, let wanted?): "nothing is stored, but \(words(wanted)) follows from the data"
        case (let present?, let wanted?): "\(words(present)) is stored, but \(words(wanted)) follows from the data"
        }
    }

    private static func words(_ value: TreeValue) -> String {
        switch value {
        case .object: "a record"
        case .string(let text): "\"\(text.prefix(80))\"".printable
        default: value.integerValue.map { "\($0)" } ?? value.boolValue.map { "\($0)" } ?? "a number"
        }
    }
}

extension TreeInvariant {
    /// Creates the invariant of a stage of the repair of social data.
    init(_ stage: RepairStage) {
        self.init(stage.kind, at: stage.place, mend: stage.missing)
    }
}
