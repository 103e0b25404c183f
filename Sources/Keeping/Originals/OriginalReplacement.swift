import Cryptography
import Files
import Model
import Store
import Tree
import Uploads

/// The exchange of an original for another file, safe against a crash at every step: the new file is announced as garbage, and
/// written; one update switches the upload's record to it, takes it off the list of garbage and puts the old file there, from which
/// that goes after the grace period.
///
/// It is made while nothing else replaces files of the post (`GarbageList.locks`).
struct OriginalReplacement: Sendable {
    let tools: PostTools
    let id: PostID
    /// The number of the photo in the record.
    let number: Int
    let old: BlobName

    /// Exchanges the file.
    ///
    /// - Parameters:
    ///   - new: A name that no file has had.
    ///   - step: The name of the step, for failpoints.
    ///   - change: Changes the photo's record besides.
    /// - Returns: False, and nothing has changed, when the photo has another file by now, or the post is gone.
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
