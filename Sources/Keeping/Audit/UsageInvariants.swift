import API
import Model
import Tree
import Uploads

/// What has to be true of the lines that say how much room files take up: each is what the records come to, and the sums are the
/// sums of the lines. Lines come before their sums, so that a repair ends with all of them right.
enum UsageInvariants {
    private static let page = 1000

    static let all: [TreeInvariant] = [
        // What says that all was counted is written in the end, and the sum of all before: one without the other has lost
        // it. A repair counts all by the rules that come behind.
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
            // Those of uploads are looked at with the uploads.
            guard let id = PostID(node.keys[2].string),
                try snapshot.get(UploadNodes.upload(id) / "owner") != .string(node.keys[1].string)
            else { return nil }
            return UsageSubject(owner: node.keys[1], id: id)
        },
        TreeInvariant(.counterWrong, at: UsageNodes.ofFile.pattern) { node, snapshot throws(TreeError) in
            guard let id = PostID(node.keys[3].string) else { return [TreeWrite(path: node, value: nil)] }
            // Those of uploads are looked at with the uploads.
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

    /// The lines of files; once all that there was has been counted.
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
    /// Adds the lines that are the children of a node, reading `page` of them at a time.
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
