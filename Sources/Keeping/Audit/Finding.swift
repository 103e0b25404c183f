import API
import Model
import Store
import Tree

/// A result of a store check, with its repair.
package struct Finding: Sendable {
    enum Mend: Sendable {
        /// Write the values that an invariant requires at a node.
        case node(TreeInvariant, TreePath)
        /// Render the photo with this number, counted from 0 in the upload's order, again, if the file is still shown.
        case render(upload: PostID, photo: Int, file: String)
        /// Delete a file.
        case remove(BlobName)
        /// Delete all files of an id.
        case removeFolder(owner: String, PostID)
        /// Remove the changes before this one from the change log, as if they had expired.
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

    /// Creates a finding about a file.
    init(
        _ kind: FindingKind, _ file: BlobName, message: String, bytes: Int? = nil, mend: Mend? = nil
    ) {
        self.init(
            kind, path: "blobs/\(file)", post: PostID(file.postID), message: message, bytes: bytes, mend: mend)
    }
}
