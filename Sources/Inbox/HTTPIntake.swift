import API
import Files
package import Model
package import Store
import Tree
package import Uploads

/// The part of HTTP in the life of its uploads: the originals of failed uploads are kept in `failed/`, like dropped
/// files, so that a person can find them and put them into the inbox again.
package struct HTTPIntake: IntakeHandler {
    private let storage: StorageFolder

    package init(_ storage: StorageFolder) {
        self.storage = storage
    }

    /// Creates a new post for photos that were posted before, because clients send them again deliberately.
    package func duplicatePolicy(for user: UserID) -> DuplicatePolicy { .newPost }

    /// Puts the originals of a failed upload aside, and deletes the other blobs of an upload that was not published.
    /// Avatars are not put aside, because they are not photos to post, nor are files of deleted users.
    package func cleanUp(after record: UploadRecord) async throws -> Bool {
        if record.state == .failed, record.purpose == .post, record.error?.code != .deleted {
            try await putAside(record)
        }
        // The bytes of an object belong to the object, even if they cannot be rendered.
        if !record.state.isPost, record.purpose != .object {
            try await storage.blobs.removeAll(userID: record.owner.description, postID: record.id.description)
        }
        return true
    }

    /// Moves the originals of an upload to `failed/`: a single photo as `uploadID.NAME`, several as a folder
    /// `uploadID.post`, with a sidecar for the texts and audiences, if there are any. The reason is written last, so
    /// that every listed item is complete and can be put back.
    private func putAside(_ record: UploadRecord) async throws {
        let photos = record.orderedPhotos
        guard let first = photos.first else { return }
        let stem = "upload\(record.id)"
        let name = photos.count == 1 ? "\(stem).\(first.fileName)" : "\(stem)\(Sidecar.postFolderSuffix)"
        let document = Sidecar.document(
            text: record.text, alts: photos.map(\.alt), audiences: record.audiences)
        let (failed, folder) = try await FileThreads.run { [storage] () throws(FileError) in
            let failed = try storage.failedFolder(of: record.error?.code, user: record.owner)
            let folder = photos.count == 1 ? failed : try failed.folder(name, create: true)
            let sidecar = photos.count == 1 ? Sidecar.name(of: name) : Sidecar.nameInPostFolder
            if let document { try folder.write(document, as: sidecar, staging: storage.incoming) }
            return (failed, folder)
        }
        for photo in photos {
            let blob = try BlobName(
                userID: record.owner.description, postID: record.id.description, fileName: photo.fileName)
            try await storage.blobs.release(blob, to: folder, as: photos.count == 1 ? name : photo.fileName)
        }
        let reason = FailureReason(record, file: name).json
        try await FileThreads.run { [storage] () throws(FileError) in
            try failed.write(reason, as: "\(name).reason.json", staging: storage.incoming)
        }
    }
}
