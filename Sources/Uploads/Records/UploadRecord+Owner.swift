package import API
package import Model

extension UploadRecord {
    /// Checks that the owner of an upload is not deleted.
    ///
    /// - Throws: `Failure` `deleted`.
    package func requireOwner() throws(Failure) {
        guard !isOwnerGone else { throw Failure.ownerIsGone(id) }
    }
}

extension Failure {
    package static func ownerIsGone(_ id: PostID) -> Failure {
        Failure(
            .deleted, "the owner of upload \(id) has been deleted",
            hint: "Send it again as another user: nothing of the upload was kept.")
    }
}
