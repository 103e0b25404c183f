import API
import Model
import Store
import Tree

/// Something that an audit has found, and what would mend it.
package struct Finding: Sendable {
    enum Mend: Sendable {
        /// What a rule wants to stand at a node.
        case node(TreeInvariant, TreePath)
        /// The photo with that number, counted from 0 in the upload's order, is to be rendered again, if that file is still
        /// shown.
        case render(upload: PostID, photo: Int, file: String)
        /// A file is to be deleted.
        case remove(BlobName)
        /// All files of an id are to be deleted.
        case removeFolder(owner: String, PostID)
        /// The changes before that one are to be forgotten, as those that are too old.
        case forgetChanges(before: UInt64)
    }

    let document: FindingDocument
    let mend: Mend?

    init(
        _ kind: FindingKind, path: String, post: PostID? = nil, message: String, bytes: Int? = nil, mend: Mend? = nil
    ) {
        document = FindingDocument(kind, path: path, post: post?.string, message: message, bytes: bytes)
        self.mend = mend
    }

    /// About a file.
    init(
        _ kind: FindingKind, _ file: BlobName, message: String, bytes: Int? = nil, mend: Mend? = nil
    ) {
        self.init(
            kind, path: "blobs/\(file)", post: PostID(file.postID), message: message, bytes: bytes, mend: mend)
    }
}
