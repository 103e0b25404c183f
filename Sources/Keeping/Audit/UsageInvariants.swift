import API
import Model
import Tree
import Uploads

/// The invariants of the usage of files: each line is the sum of the records, and each total is the sum of the lines.
/// Lines come before their totals, so that one repair corrects all of them.
enum UsageInvariants {
    private static let page = 1000

    static let all: [TreeInvariant] = [
        // The count is complete when its version is written; the total exists before that. A total without a version
        // means that the version was lost. A repair restores it, and counts everything by the invariants that follow.
        TreeInvariant(.counterWrong, at: TreePattern(UsageNodes.ofAll())) { _, snapshot throws(TreeError) in
            let path = UsageNodes.version()
            return try snapshot.exists(path) ? [] : [TreeWrite(path: path, value: Usage.countVersion)]
        },
        lines(of: UploadNodes.upload.pattern) { node, snapshot throws(TreeError) in
            try PostID(node.keys[1].string).flatMap { id throws(TreeError) in
                try snapshot.usageSubject(ofUpload: id)
            }
        },
        lines(of: ObjectNodes.file.pattern, objectFile),
        lines(of: UploadNodes.resumableFileOf.pattern) { node, snapshot throws(TreeError) in
            // The lines of uploads are checked with the uploads.
            guard let id = PostID(node.keys[2].string),
                try snapshot.get(UploadNodes.upload(id) / "owner") != .string(node.keys[1].string)
            else { return nil }
            return UsageSubject(owner: node.keys[1], id: id)
        },
        TreeInvariant(.counterWrong, at: UsageNodes.ofFile.pattern) { node, snapshot throws(TreeError) in
            guard let id = PostID(node.keys[3].string) else { return [TreeWrite(path: node, value: nil)] }
            // The lines of uploads are checked with the uploads.
            guard try snapshot.get(UploadNodes.upload(id) / "owner") != .string(node.keys[2].string) else { return [] }
            return [TreeWrite(path: node, value: try snapshot.usage(of: id, ownedBy: node.keys[2]).value)]
        },
        TreeInvariant(.counterWrong, at: TreePattern(UsageNodes.ofFile() / "*")) { node, snapshot throws(TreeError) in
            let sum = try Usage(sumOf: node, page: page, in: snapshot)
            return [TreeWrite(path: UsageNodes.ofOwner() / node.keys[2], value: sum.value)]
        },
        TreeInvariant(.counterWrong, at: UsageNodes.ofOwner.pattern) { node, snapshot throws(TreeError) in
            try snapshot.exists(UsageNodes.ofFile() / node.keys[2]) ? [] : [TreeWrite(path: node, value: nil)]
        },
        TreeInvariant(.counterWrong, at: TreePattern(UsageNodes.version())) { _, snapshot throws(TreeError) in
            let sum = try Usage(sumOf: UsageNodes.ofOwner(), page: page, in: snapshot)
            return [TreeWrite(path: UsageNodes.ofAll(), value: sum.value)]
        },
    ]

    /// The owner of an object's bytes.
    static let objectFile: @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> UsageSubject? = {
        node, snapshot throws(TreeError) in
        guard let id = PostID(node.keys[1].string), let file = ObjectFile(try snapshot.get(node)),
            let owner = try? TreeKey(file.folder)
        else { return nil }
        return UsageSubject(owner: owner, id: id)
    }

    /// Creates the invariant of the lines of files; it holds only after the first count is complete.
    private static func lines(
        of place: TreePattern,
        _ subject: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> UsageSubject?
    ) -> TreeInvariant {
        TreeInvariant(.counterWrong, at: place) { node, snapshot throws(TreeError) in
            guard let subject = try subject(node, snapshot) else { return [] }
            let path = UsageNodes.ofFile(subject.owner, subject.id.key)
            guard try snapshot.exists(UsageNodes.version()) else { return [] }
            return [TreeWrite(path: path, value: try snapshot.usage(of: subject.id, ownedBy: subject.owner).value)]
        }
    }
}

extension Usage {
    /// Adds up the lines that are the children of a node, reading `page` of them at a time.
    fileprivate init(sumOf node: TreePath, page: Int, in snapshot: TreeSnapshot) throws(TreeError) {
        self.init()
        var range = KeyRange.all
        while true {
            let lines = try snapshot.children(of: node, range: range, limit: page)
            for line in lines { self += Usage(line.value) }
            guard lines.count == page, let last = lines.last else { return }
            range = .after(last.key)
        }
    }
}
