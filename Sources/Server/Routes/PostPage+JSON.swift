import Posts
import Tree

extension PostPage {
    /// The page as JSON, `{"posts": […], "has_more": …, "next": …, "skipped": […]}`: written by hand, because the tree's
    /// values know no empty list.
    var json: [UInt8] {
        var bytes = Array("{\"posts\":[".utf8)
        bytes += items.map { $0.record.withPostID($0.id).json() }.joined(separator: ",".utf8)
        bytes += "],\"has_more\":\(hasMore)".utf8
        if let next { bytes += ",\"next\":\"\(next)\"".utf8 }
        if !skipped.isEmpty {
            let records = skipped.map { record in
                TreeValue.object(["path": .string("posts/\(record.id)"), "reason": .string(record.fault)])
            }
            bytes += ",\"skipped\":[".utf8
            bytes += records.map { $0.json() }.joined(separator: ",".utf8)
            bytes += "]".utf8
        }
        return bytes + "}".utf8
    }
}

extension TreeValue {
    /// A post with its id in it, which in the tree is its key.
    func withPostID(_ id: TreeKey) -> TreeValue {
        var fields = object ?? [:]
        fields["post_id"] = .string(id.string)
        return .object(fields)
    }
}
