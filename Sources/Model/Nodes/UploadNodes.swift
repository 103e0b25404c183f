package import TreeModel

/// The nodes of uploads.
package enum UploadNodes {
    package static let upload = TreeNode("uploads/{post}", in: .pipeline, .service, "an upload", record: "UploadRecord")
    package static let queued = TreeNode(
        "upload_queue/{post}", in: .pipeline, .service,
        "an upload that has not ended; a start reads only these",
        record: "QueueEntry")
    package static let reference = TreeNode(
        "upload_refs/{uid}/{reference}", in: .pipeline, .service, "the id of the upload with a client's own reference")
    package static let ended = TreeNode(
        "ended/{post}", in: .pipeline, .service,
        "the time at which an upload ended without a post, in milliseconds since the epoch")
    package static let attempt = TreeNode(
        "attempts/{post}/{attempt}", in: .pipeline, .service, "an attempt at renditions that has not ended",
        record: "UnfinishedAttempt")
    package static let resumableFile = TreeNode(
        "resumable_files/{id}", in: .pipeline, .service, "a file that is sent in several requests",
        record: "ResumableFile", unaudited: "its owner's entry is checked, and it is deleted by itself")
    package static let resumableFileOf = TreeNode(
        "resumable_owners/{owner}/{id}", in: .pipeline, .service,
        "the unfinished files of an owner, each with the number of bytes that are reserved for it")
    package static let poison = TreeNode(
        "poison/{sha256}", in: .pipeline, .service, "a photo that crashed its decoder, with the failure",
        unaudited: "nothing is derived from it")
    package static let recipe = TreeNode(
        "recipes/{fingerprint}", in: .pipeline, .service,
        "a recipe by which renditions were created, as it was written",
        record: "RecipeBook", unaudited: "it is a note for people")

    /// Returns the path of a photo in the record of an upload, by the number under which it arrived.
    package static func photo(_ number: Int, of id: PostID) -> TreePath {
        upload(id) / "photos" / TreeKey(unchecked: String(number))
    }

    package static let all = [
        upload, queued, reference, ended, attempt, resumableFile, resumableFileOf, poison, recipe,
    ]
}
