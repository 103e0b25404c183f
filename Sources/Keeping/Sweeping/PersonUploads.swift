import API
import Model
import Social
import Tree
package import Uploads

/// Ends the uploads of a user whose account is being deleted, and deletes the user's objects in the bucket.
///
/// Each upload is marked. A reservation or a draft expires soon; an acknowledged upload fails when its turn comes, and
/// is cleaned up then. A crash does not lose a mark: the next start reads it in the queue.
package struct PersonUploads: UploadCleanup {
    /// The number of uploads, of all users, that one part examines.
    private static let batch = 200
    /// The number of objects that one part deletes.
    private static let objectsAtOnce = 100
    /// The position of the first object, after those of uploads; no key contains a slash.
    private static let objects = "/objects"

    let store: UploadStore

    package init(store: UploadStore) {
        self.store = store
    }

    func areThere(of uid: UserID) async throws -> Bool {
        var range = KeyRange.all
        while true {
            let rows = try await store.tree.children(of: UploadNodes.queued(), range: range, limit: Self.batch)
            for entry in rows.compactMap({ QueueEntry($0) }) where entry.owner == nil || entry.owner == uid {
                if let record = try await store.record(of: entry.id), record.owner == uid, !record.state.isTerminal {
                    return true
                }
            }
            guard rows.count == Self.batch, let last = rows.last else { break }
            range = .after(last.key)
        }
        return try await store.tree.snapshot { try !Self.names(of: uid, limit: 1, in: $0).isEmpty }
    }

    private static func names(
        of uid: UserID, limit: Int, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [ObjectName] {
        var query = ObjectQuery()
        query.prefix = "\(uid)/"
        query.limit = limit
        return try snapshot.objects(query).names
    }

    func end(
        of uid: UserID, after position: String?, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> (count: Int, next: String?) {
        guard position != Self.objects else { return try endObjects(of: uid, in: snapshot, &update) }
        let rows = try snapshot.children(
            of: UploadNodes.queued(), range: position.map { .after(TreeKey(unchecked: $0)) } ?? .all, limit: Self.batch)
        var count = 0
        for var entry in rows.compactMap({ QueueEntry($0) }) where entry.owner == nil || entry.owner == uid {
            guard let record = try snapshot.upload(entry.id), record.owner == uid, !record.state.isTerminal,
                !record.isOwnerGone
            else { continue }
            entry.isOwnerGone = true
            update[UploadNodes.upload(entry.id) / "owner_gone"] = true
            update[UploadNodes.queued(entry.id)] = entry.value
            // If this is not committed, the upload is merely examined again, which may happen at any time.
            store.abandonLater(entry.id)
            count += 1
        }
        return (count, rows.count == Self.batch ? rows.last?.key.string : Self.objects)
    }

    /// Deletes the first of the user's objects; no new ones are stored for a user who is being deleted.
    private func endObjects(
        of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> (count: Int, next: String?) {
        update[UsageNodes.quota(uid)] = nil
        let names = try Self.names(of: uid, limit: Self.objectsAtOnce, in: snapshot)
        for name in names {
            if let object = try StoredObject(name, in: snapshot) {
                ObjectStore.discard(object.blob, at: store.now, in: &update)
            }
            update[ObjectKey.path(name)] = nil
        }
        return (names.count, names.count == Self.objectsAtOnce ? Self.objects : nil)
    }
}
