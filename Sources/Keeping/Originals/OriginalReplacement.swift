import Cryptography
import Files
import Model
import Store
import Tree
import Uploads

/// The replacement of an original by another file, safe against a crash at every step.
///
/// The new file is listed as garbage and written. Then one update switches the upload's record to the new file, removes
/// it from the garbage list, and adds the old file there; the old file is deleted after the grace period.
///
/// The caller must hold the post's lock (`GarbageList.locks`), so that nothing else replaces its files.
struct OriginalReplacement: Sendable {
    let tools: PostTools
    let id: PostID
    /// The number of the photo in the record.
    let number: Int
    let old: BlobName

    /// Replaces the file.
    ///
    /// - Parameters:
    ///   - new: A name that no file has had before.
    ///   - step: The name of the step, for failpoints.
    ///   - change: Makes further changes to the photo's record.
    /// - Returns: False if the photo has another file by now, or the post was deleted; nothing has changed then.
    func run(
        _ bytes: [UInt8], as new: BlobName, at step: String,
        change: @escaping @Sendable (inout UploadRecord.Photo) -> Void = { _ in }
    ) async throws -> Bool {
        var update = MultiPathUpdate()
        let announcement = try tools.garbage.add([new], to: &update)
        _ = try await tools.tree.commit(update, at: "\(step)-announced")
        try await tools.blobs.put([(new, bytes)])
        var checksums = ObjectChecksums()
        bytes.withUnsafeBytes { checksums.update($0) }
        let (md5, crc32c) = checksums.finish()
        let hash = sha256(of: bytes)
        return try await tools.tree.transact(at: step) { snapshot, update in
            guard try snapshot.isShown(id), var record = try snapshot.upload(id),
                var photo = record.photos[number], photo.fileName == old.fileName, photo.droppedAt == nil
            else { return false }
            change(&photo)
            photo.replaceFile(new.fileName, sha256: hash, byteCount: bytes.count)
            record.photos[number] = photo
            if let file = ObjectFile(try snapshot.get(ObjectNodes.file() / id.key)),
                let object = try StoredObject(file.name, in: snapshot), object.blob == old
            {
                let replaced = object.replacing(
                    new, byteCount: bytes.count, md5: md5, crc32c: crc32c, at: tools.now)
                update[ObjectKey.path(file.name)] = replaced.value
            }
            update[UploadNodes.upload(id)] = try record.value()
            try tools.garbage.add([old], to: &update)
            if let announcement { update[announcement] = nil }
            return true
        }
    }
}
