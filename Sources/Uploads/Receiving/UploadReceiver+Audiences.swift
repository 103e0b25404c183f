import API
package import Model
import Social
import Tree

extension UploadReceiver {
    /// Sets the audiences of a reserved upload before its photos arrive; without audiences it stays as it is. Durable
    /// on return.
    ///
    /// - Throws: `Failure` with the code `not_member` or `not_allowed` if the owner may not post for an audience,
    ///   `wrong_state` if the upload is no longer reserved.
    package func address(_ record: UploadRecord, to audiences: [AudienceID]) async throws -> UploadRecord {
        guard !audiences.isEmpty else { return record }
        return try await store.tree.transact { snapshot, update in
            guard var record = try snapshot.upload(record.id), record.state == .reserved else {
                throw Failure(.wrongState, "upload \(record.id) is no longer reserved", hint: "Send it again.")
            }
            try snapshot.requirePoster(record.owner, for: audiences)
            record.audiences = audiences.sorted()
            update[UploadNodes.upload(record.id)] = try record.value()
            update[AudienceNodes.restrictedMedia(record.id.key) / record.owner.key] = true
            return record
        }.result
    }
}
