/// The nodes of the files of posts.
package enum FileNodes {
    package static let content = TreeNode(
        "contents/{uid}/{sha256}", in: .pipeline, .service,
        "the id of the user's post with photos of these bytes",
        record: "PhotoIndex")
    package static let garbage = TreeNode(
        "garbage/{entry}", in: .pipeline, .service,
        "files that no record names any more, and the time at which they may be deleted",
        unaudited: "the files are checked, and an entry is deleted by itself")
    package static let deleted = TreeNode(
        "deleted/{post}", in: .pipeline, .derived,
        "the time at which a post was deleted, or an avatar replaced, in milliseconds since the epoch: only files of these are deleted",
        unaudited: "there is nothing left to compare it with")
    package static let verified = TreeNode(
        "verified/{post}", in: .pipeline, .service,
        "the time at which the files of an upload were last read and compared, in milliseconds since the epoch; 0 if they were damaged",
        unaudited: "a record of store checks themselves")

    package static let all = [content, garbage, deleted, verified]
}
