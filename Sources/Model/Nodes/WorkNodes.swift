package import Tree
package import TreeModel

/// The nodes of follow-up tasks, requests and post runs.
package enum WorkNodes {
    package static let followUpTask = TreeNode(
        "jobs/{kind}/{subject}", in: .social, .derived,
        "a follow-up task: work that is too much for the commit that causes it",
        record: "PendingFollowUpTask", unaudited: "it is deleted once it is done")
    package static let request = TreeNode(
        "requests/{owner}/{key}", in: .social, .service,
        "the record of a request with a key: its fingerprint, the id of the created node, the store's numbers",
        record: "RequestRecord",
        unaudited: "it is deleted by itself")
    package static let requestInOrder = TreeNode(
        "request_order/{id}", in: .social, .service,
        "the same by the ids of the created nodes: the owner, and the key after a space",
        record: "RequestKeys", unaudited: "it is deleted by itself")
    package static let postRun = TreeNode(
        "batch_jobs/{job}", in: .pipeline, .service, "a post run that is active, or has ended",
        record: "PostRun",
        unaudited: "a record that cannot be read is not a run")
    package static let postList = TreeNode(
        "post_lists/{job}/{post}", in: .pipeline, .service, "the posts that a post run is limited to: `true`",
        unaudited: "lists without a run are deleted by themselves")
    package static let rethumbRun = TreeNode(
        "generations/{job}/{post}", in: .pipeline, .service,
        "the renditions of a post that a rethumb run has created, or those that it has replaced", record: "RethumbRun")
    package static let prepared = TreeNode(
        "prepared/{post}/{job}", in: .pipeline, .service,
        "the rethumb runs whose renditions are not shown yet: `true`")

    /// The nodes of the records of requests with keys.
    package static let requests = RequestNodes(records: request(), order: requestInOrder())

    /// The owner of the keys of the service's owner; people cannot have this id.
    package static let ownerOfService = TreeKey(unchecked: "~")

    package static let all = [followUpTask, request, requestInOrder, postRun, postList, rethumbRun, prepared]
}
