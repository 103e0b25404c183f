package import Model
package import Tree

/// The files of one owner under one id, which are counted together.
package struct UsageSubject: Sendable, Hashable {
    package let owner: TreeKey
    package let id: PostID

    package init(owner: TreeKey, id: PostID) {
        self.owner = owner
        self.id = id
    }
}

/// The writes that bring the counts of some files up to date: their lines, and the sums that include them.
package struct UsageLedger {
    private let snapshot: TreeSnapshot
    private var lines: [TreePath: Usage] = [:]

    package init(in snapshot: TreeSnapshot) { self.snapshot = snapshot }

    /// Counts files again.
    package mutating func settle(_ subject: UsageSubject) throws(TreeError) {
        let path = UsageNodes.ofFile(subject.owner, subject.id.key)
        let old = try line(at: path)
        let new = try snapshot.usage(of: subject.id, ownedBy: subject.owner)
        guard old != new else { return }
        lines[path] = new
        for sum in [UsageNodes.ofOwner() / subject.owner, UsageNodes.ofAll()] {
            var usage = try line(at: sum)
            usage.replace(old, with: new)
            lines[sum] = usage
        }
    }

    private func line(at path: TreePath) throws(TreeError) -> Usage {
        if let line = lines[path] { return line }
        return Usage(try snapshot.get(path))
    }

    package var writes: [TreeWrite] { lines.map { TreeWrite(path: $0.key, value: $0.value.value) } }
}

extension TreeSnapshot {
    /// Returns the files that are counted under the id of an upload; nil if it has no record.
    package func usageSubject(ofUpload id: PostID) throws(TreeError) -> UsageSubject? {
        guard let owner = try get(UploadNodes.upload(id) / "owner")?.stringValue.flatMap({ try? TreeKey($0) }) else {
            return nil
        }
        return UsageSubject(owner: owner, id: id)
    }
}
