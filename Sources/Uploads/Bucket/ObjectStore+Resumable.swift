import API
import Access
import Files
import Imaging
package import Model
import Store
import Tree
package import TreeModel

/// An object whose bytes arrive in several requests: the information from the first request.
package struct ResumableObject: Sendable {
    package let name: ObjectName
    package let metadata: ObjectMetadata
    /// The identity that began the upload, in a form defined by the code that authorizes it.
    package let identity: JSONValue
    /// The secret that requests need to continue the upload.
    package let secret: String

    package init(_ name: ObjectName, _ metadata: ObjectMetadata, identity: JSONValue, secret: String) {
        self.name = name
        self.metadata = metadata
        self.identity = identity
        self.secret = secret
    }

    var text: String {
        var members = metadata.members
        members["name"] = .string(name.description)
        members["identity"] = identity
        members["secret"] = .string(secret)
        members["tokens"] = .list(metadata.tokens.map(JSONValue.string))
        return String(decoding: JSONValue.object(members).text, as: UTF8.self)
    }

    /// Reads the details of a file; nil if they are malformed.
    package init?(_ file: ResumableFile) {
        guard file.purpose == .object, let record = JSONValue(text: file.details.utf8),
            let name = record["name"]?.string.flatMap({ ObjectName($0) }), let secret = record["secret"]?.string
        else { return nil }
        var metadata = ObjectMetadata(record)
        if case .list(let tokens)? = record["tokens"] { metadata.choose(tokens: tokens.compactMap(\.string)) }
        self.init(name, metadata, identity: record["identity"] ?? .null, secret: secret)
    }
}

extension ResumableFile.Purpose {
    /// The purpose of an object of the bucket.
    static let object = ResumableFile.Purpose(rawValue: "object")
}

extension ObjectStore {
    /// Begins to receive an object in several requests. Durable on return.
    ///
    /// - Parameters:
    ///   - owner: The owner, by whom the number of unfinished uploads is limited.
    ///   - length: The size in bytes; nil if it is not known.
    /// - Throws: The errors of ``ResumableFiles/check(_:)``, and `Failure` `quota_exceeded`.
    package func begin(_ object: ResumableObject, of owner: TreeKey, length: Int?) async throws -> ResumableFile {
        var request = ResumableFileRequest(owner: owner, purpose: .object, maxBytes: maxBytes)
        request.details = object.text
        request.length = length
        let old = try await self.object(object.name)
        let room = files.quotas.hold(for: object.name.owner, inPlaceOf: old?.byteCount ?? 0)
        try await room.expect(length ?? 1)
        return try await files.create(request, holding: room)
    }

    /// Publishes a complete file under the object's name; see ``put(_:as:_:ending:precondition:)``. A repeated call
    /// after a crash continues from where it stopped.
    package func put(
        _ session: ResumableSession, as object: ResumableObject, precondition: @escaping Precondition
    ) async throws -> StoredObject {
        let contents = try await contents(of: session, object.name)
        return try await put(
            contents, as: object.name, object.metadata, ending: session.record, precondition: precondition)
    }

    private func contents(
        of session: ResumableSession, _ name: ObjectName
    ) async throws -> ObjectUpload.Contents {
        switch try await session.finish() {
        case .whole(let staged, let whole):
            return try await FileThreads.run {
                try ObjectUpload.Contents(
                    of: try staged.reader(), file: staged, byteCount: whole.byteCount, sha256: whole.sha256)
            }
        case .moved(let byteCount, let sha256):
            let reader = try await movedFile(of: name, session.record.id)
            return try await FileThreads.run {
                try ObjectUpload.Contents(of: reader, file: nil, byteCount: byteCount, sha256: sha256)
            }
        }
    }

    /// Returns the file whose bytes were moved to the blob store before a crash, and not named.
    private func movedFile(of name: ObjectName, _ id: PostID) async throws -> FileReader {
        let folder = name.owner?.description ?? Self.commonFolder
        guard let fileName = try await blobs.fileNames(userID: folder, postID: id.string).first else {
            throw Failure(.bytesLost, "the bytes of \(name) are missing", hint: "Send it again.")
        }
        return try await blobs.open(try BlobName(userID: folder, postID: id.string, fileName: fileName))
    }

    /// Returns the object that was created from an upload in several requests; nil if none was, or if the name now
    /// belongs to other content.
    package func result(of id: PostID) async throws -> StoredObject? {
        try await tree.snapshot { snapshot in
            guard let file = ObjectFile(try snapshot.get(ObjectNodes.file() / id.key)),
                let object = try StoredObject(file.name, in: snapshot), object.blob.postID == id.string
            else { return nil }
            return object
        }
    }
}

extension ObjectUpload.Contents {
    /// Computes the checksums of a complete file. Blocks.
    ///
    /// - Parameter file: The file, if it has no name in the blob store yet.
    fileprivate init(of reader: FileReader, file: StagedFile?, byteCount: Int, sha256: String) throws(FileError) {
        var checksums = ObjectChecksums()
        var head: [UInt8] = []
        var offset = 0
        while true {
            let bytes = try reader.read(at: offset, maxBytes: 1 << 20)
            if bytes.isEmpty { break }
            if offset == 0 { head = Array(bytes.prefix(4096)) }
            bytes.withUnsafeBytes { checksums.update($0) }
            offset += bytes.count
        }
        let (md5, crc32c) = checksums.finish()
        self.init(
            byteCount: byteCount, format: ImageFormat.detect(head.span), file: file, sha256: sha256, md5: md5,
            crc32c: crc32c)
    }
}
