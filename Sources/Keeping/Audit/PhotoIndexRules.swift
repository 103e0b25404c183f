import API
import Model
import Tree
import Uploads

extension PhotoIndex {
    /// The invariants of the index: each entry names a post that shows the photos of its key, and the photos of each
    /// post have an entry, unless they were posted again.
    static let rules = [named, listed]

    private static let named = TreeInvariant.dangling(FileNodes.content.path) { node, snapshot throws(TreeError) in
        guard let id = try snapshot.get(node)?.stringValue.flatMap({ PostID($0) }),
            try snapshot.hasAny(of: [PostNodes.post(id), AudienceNodes.post(id), FileNodes.deleted(id)])
        else { return false }
        // A record that is missing or cannot be read is reported by another invariant.
        guard let record = try snapshot.upload(id) else { return true }
        return (try? path(of: record)) == node
    }

    private static let listed = TreeInvariant(.indexWrong, at: UploadNodes.upload.pattern) {
        node, snapshot throws(TreeError) in
        guard let id = PostID(node.keys[1].string), let record = try snapshot.upload(id), record.purpose == .post,
            record.state == .published, record.duplicates != .newPost,
            let path = try? path(of: record), try entry(at: path, for: record.audiences, in: snapshot).post == nil,
            try snapshot.exists(record.audiences.isEmpty ? PostNodes.post(id) : AudienceNodes.post(id))
        else { return [] }
        return [TreeWrite(path: path, value: .string(id.description))]
    }

    /// The number of uploads that are examined in one transaction.
    private static let batch = 200

    /// Adds the entries that are missing, as in a store of a version without the index. It may be interrupted at any
    /// point, and called again.
    static func complete(in tree: TreeStore) async throws {
        var last: TreePath?
        repeat {
            let position = last
            let nodes = try await tree.transact(at: "indexed") { snapshot, update in
                let nodes = try listed.place.nodes(in: snapshot, after: position, limit: batch)
                for node in nodes {
                    for write in try listed.writes(at: node, in: snapshot) { update[write.path] = write.value }
                }
                return nodes
            }
            last = nodes.count == batch ? nodes.last : nil
            try Task.checkCancellation()
        } while last != nil
    }
}
