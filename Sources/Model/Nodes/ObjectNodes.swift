/// The nodes of the bucket.
package enum ObjectNodes {
    package static let object = TreeNode(
        "objects/{name}/{rest}", in: .pipeline, .service, "an object of the bucket", record: "StoredObject")
    package static let file = TreeNode(
        "object_files/{id}", in: .pipeline, .service,
        "the owner of the bytes of an object: written before they are stored, and deleted after them",
        record: "ObjectFile")
    package static let size = TreeNode(
        "object_sizes/{id}", in: .pipeline, .service, "the size of these bytes, for as long as they exist",
        unaudited: "the totals that are derived from it are checked")
    package static let link = TreeNode(
        "object_posts/{post}", in: .pipeline, .derived, "the id of the upload with the photo of a client's post")
    package static let post = TreeNode(
        "posts_of_objects/{upload}/{post}", in: .pipeline, .derived, "the posts that show an object's photo: `true`")
    package static let rules = TreeNode(
        "storage_rules", in: .media, .service,
        "the storage rules that an admin has set: `text`, `version`, which counts their changes, and `renditions_public`",
        record: "StorageRulesStore", unaudited: "a start reads it, and refuses an invalid value")

    package static let all = [object, file, size, link, post, rules]
}
