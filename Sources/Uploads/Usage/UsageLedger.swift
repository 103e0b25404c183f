package import Model
package import Tree

/// Files of one owner under one id: what is counted together.
package struct UsageSubject: Sendable, Hashable {
    package let owner: TreeKey
    package let id: PostID

    package init(owner: TreeKey, id: PostID) {
        self.owner = owner
        self.id = id
    }
}

/// What has to be written so that some files are counted as they are: the lines of these, and the sums that they are in.
package struct UsageLedger {
    private let snapshot: TreeSnapshot
    private var lines: [TreePath: Usage] = [:]

    package init(in snapshot: TreeSnapshot) { self.snapshot = snapshot }

    /// Counts files anew.
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
    /// The files that are counted under the id of an upload; none where it has no record.
    package func usageSubject(ofUpload id: PostID) throws(TreeError) -> UsageSubject? {
        guard let owner = try get(UploadNodes.upload(id) / "owner")?.stringValue.flatMap({ try? TreeKey($0) }) else {
            return nil
        }
        return UsageSubject(owner: owner, id: id)
    }
}
