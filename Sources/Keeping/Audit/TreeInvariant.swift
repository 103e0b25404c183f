package import API
import Social
package import Tree
import Uploads

/// What has to be true of each node of a place, for as long as the tree is sound.
package struct TreeInvariant: Sendable {
    /// What is said of a node that breaks it.
    enum Check: Sendable {
        /// What has to be written so that all is right; nothing where it is.
        case mend(@Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite])
        /// What is wrong, in words, of what nobody can mend; nil where nothing is.
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

    /// What is wrong with one node.
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

    /// What is to be written at one node so that it is right.
    func writes(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        guard case .mend(let mend) = check else { return [] }
        var missing: [TreeWrite] = []
        for write in try mend(node, snapshot) where try snapshot.get(write.path) != write.value {
            missing.append(write)
        }
        return missing
    }

    /// A place in the tree for people: with the name of the tree, where it is one of the service's own.
    static func text(_ path: TreePath) -> String {
        path.namespace.isReserved ? "\(path.namespace.name.drop { $0 == "." }):\(path)" : "\(path)"
    }

    private static func sentence(_ present: TreeValue?, _ wanted: TreeValue?) -> String {
        switch (present, wanted) {
        case (_, nil): "nothing stands behind this entry"
        case (nil, let wanted?): "nothing is there, and \(words(wanted)) follows from the data"
        case (let present?, let wanted?): "\(words(present)) is there, and \(words(wanted)) follows from the data"
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
    /// The rule behind a stage of the repair of social data.
    init(_ stage: RepairStage) {
        self.init(stage.kind, at: stage.place, mend: stage.missing)
    }
}
