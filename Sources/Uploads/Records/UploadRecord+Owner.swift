package import API
package import Model

extension UploadRecord {
    /// Refuses to go on with an upload of somebody who is deleted.
    ///
    /// - Throws: `Failure` `deleted`.
    package func requireOwner() throws(Failure) {
        guard !isOwnerGone else { throw Failure.ownerIsGone(id) }
    }
}

extension Failure {
    package static func ownerIsGone(_ id: PostID) -> Failure {
        Failure(
            .deleted, "the person whose upload \(id) was has been deleted",
            hint: "nothing of it was kept; who comes back sends it again")
    }
}
