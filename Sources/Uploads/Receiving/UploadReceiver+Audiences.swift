import API
package import Model
import Social
import Tree

extension UploadReceiver {
    /// Says for whom a reserved upload is, before its photos come; with no audiences it stays as it is. Durable when it
    /// returns.
    ///
    /// - Throws: `Failure` with the code `not_member` or `not_allowed` when its owner may not post for one of them,
    ///   `wrong_state` when it is reserved no more.
    package func address(_ record: UploadRecord, to audiences: [AudienceID]) async throws -> UploadRecord {
        guard !audiences.isEmpty else { return record }
        return try await store.tree.transact { snapshot, update in
            guard var record = try snapshot.upload(record.id), record.state == .reserved else {
                throw Failure(.wrongState, "upload \(record.id) is not reserved any more", hint: "send it again")
            }
            try snapshot.requirePoster(record.owner, for: audiences)
            record.audiences = audiences.sorted()
            update[UploadNodes.upload(record.id)] = try record.value()
            update[AudienceNodes.restrictedMedia(record.id.key) / record.owner.key] = true
            return record
        }.result
    }
}
