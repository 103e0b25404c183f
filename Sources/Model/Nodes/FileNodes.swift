/// The nodes of the files of posts.
package enum FileNodes {
    package static let content = TreeNode(
        "contents/{uid}/{sha256}", in: .pipeline, .service,
        "the post in which somebody showed photos with these bytes: its id",
        record: "PhotoIndex")
    package static let garbage = TreeNode(
        "garbage/{entry}", in: .pipeline, .service, "files that nothing refers to any more, and when they may go",
        unaudited: "the files are, and an entry goes by itself")
    package static let deleted = TreeNode(
        "deleted/{post}", in: .pipeline, .derived,
        "when a post was deleted, or an avatar replaced, in milliseconds since the epoch: only files of these are ever swept",
        unaudited: "nothing is left by which it could be told")
    package static let verified = TreeNode(
        "verified/{post}", in: .pipeline, .service,
        "when the files of an upload were read and compared last, in milliseconds since the epoch; 0 where they were damaged",
        unaudited: "a note of audits themselves")

    package static let all = [content, garbage, deleted, verified]
}
