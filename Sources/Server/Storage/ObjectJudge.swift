import API
import Access
import Rules
import Tree
import TreeModel
import Uploads

/// Checks operations on the objects of the bucket by the storage rules. Admins are not bound by them.
struct ObjectJudge: Sendable {
    let rules: StorageRulesStore
    let identity: Identity

    /// Checks that an object may be read.
    ///
    /// - Parameters:
    ///   - present: The object; nil if it does not exist.
    ///   - token: The download token of the address: a valid one is enough.
    /// - Throws: `StorageError` 403.
    func checkRead(_ name: ObjectName, _ present: StoredObject?, token: String?) throws(StorageError) {
        if let token, let present, present.hasToken(token) { return }
        guard may(.get, name.description, present: present) else { throw .denied("READ") }
    }

    /// Checks that the names below a prefix may be listed. The checked path is the folder that contains them: a prefix
    /// that ends within a name also matches the folders of others.
    ///
    /// - Throws: `StorageError` 403.
    func checkList(_ prefix: String) throws(StorageError) {
        let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(prefix[...$0]) } ?? ""
        guard may(.list, folder, present: nil) else { throw .denied("LIST") }
    }

    /// Checks that an object may be written.
    ///
    /// - Parameters:
    ///   - present: The existing object; nil for none.
    ///   - new: The object after the write.
    ///   - byteCount: The size of the new object, in bytes.
    /// - Throws: `StorageError` 403.
    func checkWrite(
        _ name: ObjectName, _ present: StoredObject?, _ new: ObjectMetadata, byteCount: Int
    ) throws(StorageError) {
        guard mayWrite(name, present, new, byteCount: byteCount) else { throw .denied("WRITE") }
    }

    /// Checks, as far as possible, that an object may be written whose bytes have not all arrived.
    ///
    /// - Parameter maxBytes: The largest possible size, in bytes; nil if none was announced.
    /// - Throws: `StorageError` 403.
    func checkBeginning(
        _ name: ObjectName, _ present: StoredObject?, _ new: ObjectMetadata, maxBytes: Int?
    ) throws(StorageError) {
        // A rule may limit the size: if it refuses the smallest and the largest, it refuses all sizes between.
        if mayWrite(name, present, new, byteCount: 0) { return }
        guard let maxBytes, mayWrite(name, present, new, byteCount: maxBytes) else { throw .denied("WRITE") }
    }

    /// Checks that an object may be deleted.
    ///
    /// - Throws: `StorageError` 403.
    func checkDelete(_ name: ObjectName, _ present: StoredObject?) throws(StorageError) {
        guard may(.delete, name.description, present: present) else { throw .denied("WRITE") }
    }

    private func mayWrite(
        _ name: ObjectName, _ present: StoredObject?, _ new: ObjectMetadata, byteCount: Int
    ) -> Bool {
        let resource = StorageResource(
            name: name.description, bucket: rules.bucket, size: Int64(byteCount), contentType: new.contentType,
            metadata: new.custom)
        return may(present == nil ? .create : .update, name.description, present: present, new: resource)
    }

    private func may(
        _ operation: StorageOperation, _ name: String, present: StoredObject?, new: StorageResource? = nil
    ) -> Bool {
        let auth: JSONValue?
        switch identity {
        case .admin: return true
        case .anonymous: auth = nil
        case .user(let user): auth = user.auth
        }
        let resource = present.map { object in
            StorageResource(
                name: name, bucket: rules.bucket, size: Int64(object.byteCount),
                contentType: object.metadata.contentType, metadata: object.metadata.custom,
                created: object.createdAt)
        }
        return rules.inForce.rules.judge(
            operation, of: name, in: rules.bucket,
            by: RulesSubject(auth: auth, now: WallClock.now()), resource: resource,
            newResource: new
        ).isAllowed
    }
}
