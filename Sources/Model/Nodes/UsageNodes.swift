/// The nodes that say how much room files take up, and may.
package enum UsageNodes {
    package static let ofFile = TreeNode(
        "usage/files/{owner}/{id}", in: .pipeline, .derived, "what the files of an id come to", record: "Usage")
    package static let ofOwner = TreeNode(
        "usage/owners/{owner}", in: .pipeline, .derived, "what the files of an owner come to", record: "Usage")
    package static let ofAll = TreeNode("usage/all", in: .pipeline, .derived, "what all files come to", record: "Usage")
    package static let version = TreeNode(
        "usage/version", in: .pipeline, .service, "by which version of the rules everything has been counted")
    package static let formerLink = TreeNode(
        "usage/links/{post}", in: .pipeline, .derived,
        "the object that a post showed before the commit, within that alone",
        record: "FormerLink", unaudited: "it is there within a commit alone")
    package static let quota = TreeNode(
        "quotas/{uid}", in: .pipeline, .service,
        "the quota of a user that is another one than the setting's: a number of bytes, or `none`",
        record: "UserQuotas",
        unaudited: "an operator's word")
    package static let quotaGroup = TreeNode(
        "quota_groups/{uid}", in: .pipeline, .service,
        "the group of a user whose account is self-made: `signed-up` or `anonymous`",
        record: "UserQuotas", unaudited: "it follows from an account that may be gone")

    package static let all = [ofFile, ofOwner, ofAll, version, formerLink, quota, quotaGroup]
}
