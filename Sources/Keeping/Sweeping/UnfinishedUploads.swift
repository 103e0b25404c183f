import API
import Files
import Model
import Social
import Store
import Tree
import Uploads

extension StorageFolder {
    /// Ends reservations, drafts and what was being received of a tree that is not of the age of the blobs, and touches no file: since the time of
    /// that tree they may have become posts, whose files they would take along when they expire.
    ///
    /// What lies in `incoming/` is unfinished for certain, and stays as it is.
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
