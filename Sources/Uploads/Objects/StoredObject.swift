import API
import Access
import Cryptography
package import Store
package import Tree
import TreeModel

/// The record of an object in the bucket. The bytes are in a blob, which never changes.
package struct StoredObject: Hashable, Sendable {
    package let name: ObjectName
    /// The blob with the bytes; its second part, a push id, is new with every upload.
    package let blob: BlobName
    /// The number of this content, greater than all earlier ones: about the microseconds since the epoch.
    package let objectGeneration: Int64
    /// The number of metadata changes since this content was uploaded, starting at 1.
    package internal(set) var metageneration: Int64
    /// The time at which the bytes arrived.
    package let createdAt: Timestamp
    /// The time of the last change.
    package internal(set) var updatedAt: Timestamp
    /// The size in bytes.
    package let byteCount: Int
    /// The MD5 digest, 16 bytes.
    package let md5: [UInt8]
    /// The CRC32C checksum, 4 bytes, most significant byte first.
    package let crc32c: [UInt8]
    package internal(set) var metadata: ObjectMetadata
    /// The download tokens. The holder of one may fetch the object, whatever the rules specify.
    package internal(set) var tokens: [String]

    /// An identifier of this state of the object, different for every content and metadata change.
    package var tag: String { "\(blob.postID)-\(metageneration)" }

    /// Whether a token from a request is one of the object's.
    package func hasToken(_ token: String) -> Bool {
        tokens.contains { Digest.areEqual(Array($0.utf8), Array(token.utf8)) }
    }
}

extension StoredObject {
    /// Returns the object with other bytes, uploaded at a given time.
    package func replacing(
        _ blob: BlobName, byteCount: Int, md5: [UInt8], crc32c: [UInt8], at time: Timestamp
    ) -> StoredObject {
        StoredObject(
            name: name, blob: blob, objectGeneration: max(time.milliseconds * 1000, objectGeneration + 1),
            metageneration: metageneration + 1,
            createdAt: createdAt, updatedAt: max(time, updatedAt), byteCount: byteCount, md5: md5, crc32c: crc32c,
            metadata: metadata, tokens: tokens)
    }
}

// MARK: - Encoding

extension StoredObject {
    /// The record: a JSON text in one leaf, because names in custom metadata may be invalid as keys of the tree.
    package var value: TreeValue {
        var members = metadata.members
        members["blob"] = .string(blob.description)
        members["generation"] = .integer(Int(objectGeneration))
        members["metageneration"] = .integer(Int(metageneration))
        members["created"] = .integer(Int(createdAt.milliseconds))
        members["updated"] = .integer(Int(updatedAt.milliseconds))
        members["bytes"] = .integer(byteCount)
        members["md5"] = .string(Base64URL.encode(md5))
        members["crc32c"] = .string(Base64URL.encode(crc32c))
        members["tokens"] = .list(tokens.map(JSONValue.string))
        return .string(String(decoding: JSONValue.object(members).text, as: UTF8.self))
    }

    /// Reads a record.
    ///
    /// - Throws: `TreeError` `corrupt` for a malformed record.
    package init(_ name: ObjectName, _ value: TreeValue) throws(TreeError) {
        guard let record = value.stringValue.flatMap({ JSONValue(text: $0.utf8) }),
            let blob = record["blob"]?.string.flatMap({ try? BlobName($0) }),
            let objectGeneration = record["generation"]?.integer,
            let metageneration = record["metageneration"]?.integer,
            let created = record["created"]?.integer, let updated = record["updated"]?.integer,
            let byteCount = record["bytes"]?.integer,
            let md5 = record["md5"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let crc32c = record["crc32c"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            case .list(let tokens)? = record["tokens"]
        else {
            throw TreeError(.corrupt, "the record of an object is not readable", path: ObjectKey.path(name))
        }
        self.name = name
        self.blob = blob
        self.objectGeneration = Int64(objectGeneration)
        self.metageneration = Int64(metageneration)
        createdAt = Timestamp(milliseconds: Int64(created))
        updatedAt = Timestamp(milliseconds: Int64(updated))
        self.byteCount = byteCount
        self.md5 = md5
        self.crc32c = crc32c
        metadata = ObjectMetadata(record)
        self.tokens = tokens.compactMap(\.string)
    }
}

extension StoredObject {
    /// Reads the object with a name; nil if it does not exist.
    package init?(_ name: ObjectName, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let value = try snapshot.get(ObjectKey.path(name)) else { return nil }
        try self.init(name, value)
    }
}
