import API
import Files
import Model
import Social
import Store
import Tree
import Uploads

extension StorageFolder {
    /// Ends the reservations, drafts and incomplete uploads in a tree that is older or newer than the blobs, without
    /// touching a file. Since the time of that tree, they may have become posts, whose files would be deleted when the
    /// uploads expire.
    ///
    /// An upload with a file in `incoming/` is certainly unfinished, and is left as it is.
    package func forgetUnfinished() async throws {
        guard tree.health.damage == nil else { return }
        for entry in try await tree.children(of: UploadNodes.queued()).compactMap({ QueueEntry($0) }) {
            guard var record = UploadRecord(id: entry.id, value: try await tree.get(UploadNodes.upload(entry.id))),
                record.state.isUnfinished || record.state == .expired, try incoming.entry(entry.id.description) == nil
            else { continue }
            record.state = .expired
            record.updatedAt = clock()
            var update = MultiPathUpdate()
            update[UploadNodes.upload(entry.id)] = try record.value()
            update[UploadNodes.queued(entry.id)] = nil
            update[UploadNodes.ended(entry.id)] = record.updatedAt.value
            if let file = ResumableFile(try await tree.get(UploadNodes.resumableFile(entry.id)), at: entry.id.key) {
                update.endResumableFile(file)
            }
            if let reference = record.clientReference {
                update[UploadNodes.reference(record.owner, try ClientReference.key(reference))] = nil
            }
            try await tree.update(update)
        }
    }
}
