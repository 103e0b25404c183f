import API
import Access
import Rules
import Tree
import TreeModel
import Uploads

/// Asks the storage rules what somebody may do with the objects of the bucket. Admins may do everything.
struct ObjectJudge: Sendable {
    let rules: StorageRulesStore
    let identity: Identity

    /// Sees to it that an object may be read.
    ///
    /// - Parameters:
    ///   - present: The object; nil when there is none.
    ///   - token: The download token of the address: a right one is enough.
    /// - Throws: `StorageError` 403.
    func checkRead(_ name: ObjectName, _ present: StoredObject?, token: String?) throws(StorageError) {
        if let token, let present, present.hasToken(token) { return }
        guard may(.get, name.description, present: present) else { throw .denied("READ") }
    }

    /// Sees to it that the names below a prefix may be listed. What is asked for is the folder that they are in: with a prefix
    /// that ends within a name others' folders begin, too.
    ///
    /// - Throws: `StorageError` 403.
    func checkList(_ prefix: String) throws(StorageError) {
        let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(prefix[...$0]) } ?? ""
        guard may(.list, folder, present: nil) else { throw .denied("LIST") }
    }

    /// Sees to it that an object may be written.
    ///
    /// - Parameters:
    ///   - present: The object that is there; nil for none.
    ///   - new: What it is to be.
    ///   - byteCount: The size that it is to have.
    /// - Throws: `StorageError` 403.
    func checkWrite(
        _ name: ObjectName, _ present: StoredObject?, _ new: ObjectMetadata, byteCount: Int
    ) throws(StorageError) {
        guard mayWrite(name, present, new, byteCount: byteCount) else { throw .denied("WRITE") }
    }

    /// Sees to it that an object of which not all bytes have come may be written, as far as that can be known.
    ///
    /// - Parameter maxBytes: The most bytes that it may come to have; nil where nothing was announced.
    /// - Throws: `StorageError` 403.
    func checkBeginning(
        _ name: ObjectName, _ present: StoredObject?, _ new: ObjectMetadata, maxBytes: Int?
    ) throws(StorageError) {
        // A rule may be about the size: what it refuses for the smallest and for the largest, it refuses for all between.
        if mayWrite(name, present, new, byteCount: 0) { return }
        guard let maxBytes, mayWrite(name, present, new, byteCount: maxBytes) else { throw .denied("WRITE") }
    }

    /// Sees to it that an object may be deleted.
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
