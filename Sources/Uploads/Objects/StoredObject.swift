import API
import Access
import Cryptography
package import Store
package import Tree
import TreeModel

/// An object of the bucket: its record. The bytes are a blob of their own, which never changes.
package struct StoredObject: Hashable, Sendable {
    package let name: ObjectName
    /// The blob that has the bytes; its second part, a push id, is new with every upload.
    package let blob: BlobName
    /// The number of this content, greater than those before it: microseconds since the epoch, about.
    package let objectGeneration: Int64
    /// The number of changes of the metadata since, from 1.
    package internal(set) var metageneration: Int64
    /// When its bytes came.
    package let createdAt: Timestamp
    /// When it was changed for the last time.
    package internal(set) var updatedAt: Timestamp
    /// The size in bytes.
    package let byteCount: Int
    /// 16 bytes.
    package let md5: [UInt8]
    /// 4 bytes, the most significant one first.
    package let crc32c: [UInt8]
    package internal(set) var metadata: ObjectMetadata
    /// Who has one of these may fetch the object, whatever the rules say.
    package internal(set) var tokens: [String]

    /// What tells this state of the object from all others.
    package var tag: String { "\(blob.postID)-\(metageneration)" }

    /// Whether a token of an address is one of the object's.
    package func hasToken(_ token: String) -> Bool {
        tokens.contains { Digest.areEqual(Array($0.utf8), Array(token.utf8)) }
    }
}

extension StoredObject {
    /// The same object with other bytes, at a time.
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

// MARK: - As it is written

extension StoredObject {
    /// The record: a JSON text in one leaf, as clients' own words in it may be no keys of the tree.
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

    /// Reads a record back.
    ///
    /// - Throws: `TreeError` `corrupt` for what is none.
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
    /// Reads the object with a name; nil when there is none.
    package init?(_ name: ObjectName, in snapshot: TreeSnapshot) throws(TreeError) {
        guard let value = try snapshot.get(ObjectKey.path(name)) else { return nil }
        try self.init(name, value)
    }
}
