/// The nodes of work that is left behind commits, of requests, and of jobs over posts.
package enum WorkNodes {
    package static let followUpTask = TreeNode(
        "jobs/{kind}/{subject}", in: .social, .derived, "work that is too much for the commit that causes it",
        record: "PendingFollowUpTask", unaudited: "it is done, and gone")
    package static let request = TreeNode(
        "requests/{owner}/{key}", in: .social, .service,
        "what a request with a key has made: a fingerprint of it, and behind a space the id", record: "RequestRecord",
        unaudited: "it goes by itself")
    package static let requestInOrder = TreeNode(
        "request_order/{id}", in: .social, .service, "the same by the ids: the owner, and behind a space the key",
        record: "RequestKeys", unaudited: "it goes by itself")
    package static let postRun = TreeNode(
        "batch_jobs/{job}", in: .pipeline, .service, "a job over posts that is under way, or has ended",
        record: "PostRun",
        unaudited: "a record that cannot be read is no job")
    package static let postList = TreeNode(
        "post_lists/{job}/{post}", in: .pipeline, .service, "the posts that somebody has listed for a job: `true`",
        unaudited: "lists without a job go by themselves")
    package static let rethumbRun = TreeNode(
        "generations/{job}/{post}", in: .pipeline, .service,
        "what a run of re-thumbnailing has made of a post, or what was there before", record: "RethumbRun")
    package static let prepared = TreeNode(
        "prepared/{post}/{job}", in: .pipeline, .service,
        "the runs that have made renditions which are not shown yet: `true`")

    package static let all = [followUpTask, request, requestInOrder, postRun, postList, rethumbRun, prepared]
}
