/// The nodes of the storage that files use, and of its limits.
package enum UsageNodes {
    package static let ofFile = TreeNode(
        "usage/files/{owner}/{id}", in: .pipeline, .derived, "the total size of the files of an id", record: "Usage")
    package static let ofOwner = TreeNode(
        "usage/owners/{owner}", in: .pipeline, .derived, "the total size of the files of an owner", record: "Usage")
    package static let ofAll = TreeNode(
        "usage/all", in: .pipeline, .derived, "the total size of all files", record: "Usage")
    package static let version = TreeNode(
        "usage/version", in: .pipeline, .service,
        "the version of the counting rules by which everything has been counted")
    package static let formerLink = TreeNode(
        "usage/links/{post}", in: .pipeline, .derived,
        "the object that a post showed before the commit; exists only within a commit",
        record: "FormerLink", unaudited: "it exists only within a commit")
    package static let quota = TreeNode(
        "quotas/{uid}", in: .pipeline, .service,
        "the quota of a user that differs from the setting: a number of bytes, or `none`",
        record: "UserQuotas",
        unaudited: "an operator sets it")
    package static let quotaGroup = TreeNode(
        "quota_groups/{uid}", in: .pipeline, .service,
        "the group of a user who created the account: `signed-up` or `anonymous`",
        record: "UserQuotas", unaudited: "it follows from an account that may have been deleted")

    package static let all = [ofFile, ofOwner, ofAll, version, formerLink, quota, quotaGroup]
}
