import Model
import Tree

extension RepairStage {
    /// The stages that count flags that are older than ``FlagIndex``, without notifying the operator, and remove the
    /// records of deleted flags.
    static let flags: [RepairStage] = [
        counting(ReactionNodes.postFlag.pattern.parent), counting(ReactionNodes.commentFlag.pattern.parent), known,
        listed(ReactionNodes.newestFlag()),
        listed(ReactionNodes.mostFlags()),
        naming(ReactionNodes.postFlag.path), naming(ReactionNodes.commentFlag.path), named,
    ]

    /// Returns the post or the comment that a path of flags belongs to.
    private static func subject(_ keys: [TreeKey], isComment: Bool) -> FlagSubject {
        FlagSubject(keys[0], isComment ? keys[1] : nil)
    }

    /// Returns the stage that counts existing flags.
    private static func counting(_ place: TreePattern) -> RepairStage {
        RepairStage(place: place) { node, snapshot throws(TreeError) in
            let keys = place.wildcards(of: node)
            return try mending(subject(keys, isComment: keys.count == 2), in: snapshot)
        }
    }

    /// Corrects the records of subjects that have been counted before.
    private static let known = RepairStage(place: ReactionNodes.flags.pattern) {
        node, snapshot throws(TreeError) in
        guard let subject = FlagSubject(node) else { return [TreeWrite(path: node, value: nil)] }
        return try mending(subject, in: snapshot)
    }

    private static func mending(_ subject: FlagSubject, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        let old = try FlagRecord(of: subject, in: snapshot)
        var record = old
        record.count = Int64(try snapshot.childCount(of: subject.flags))
        // Flags that were not counted before do not notify the operator.
        if old.count == 0, record.count > 0 { record.isTold = true }
        return record.writes(replacing: old)
    }

    /// Returns the stage that removes rows that do not match a record.
    private static func listed(_ root: TreePath) -> RepairStage {
        RepairStage(place: TreePattern(root / "*" / "*" / "*" / "*")) { node, snapshot throws(TreeError) in
            guard let subject = FlagSubject(node) else { return [TreeWrite(path: node, value: nil)] }
            let rows = try FlagRecord(of: subject, in: snapshot).rows
            return rows.contains(node) ? [] : [TreeWrite(path: node, value: nil)]
        }
    }

    /// Returns the stage that completes the lists of what people have flagged.
    private static func naming(_ path: TreePath) -> RepairStage {
        let place = TreePattern(path)
        return RepairStage(place: place) { node, _ in
            let keys = place.wildcards(of: node)
            guard let uid = keys.last else { return [] }
            let list = subject(keys, isComment: keys.count == 3).path(below: ReactionNodes.flagged(uid))
            return [TreeWrite(path: list, value: true)]
        }
    }

    /// Removes entries of these lists without a flag.
    private static let named: RepairStage = {
        let place = ReactionNodes.flagged.pattern
        return RepairStage(place: place) { node, snapshot throws(TreeError) in
            guard let subject = FlagSubject(node), let uid = place.wildcards(of: node).first,
                try snapshot.exists(subject.flags / uid)
            else { return [TreeWrite(path: node, value: nil)] }
            return []
        }
    }()
}
