import API
import Access
import Files
import Imaging
package import Model
import Store
import Tree
package import TreeModel

/// An object whose bytes come in several requests: what was said of it before the first.
package struct ResumableObject: Sendable {
    package let name: ObjectName
    package let metadata: ObjectMetadata
    /// As whom the upload was begun, in words of whoever judges it.
    package let identity: JSONValue
    /// What the requests that go on with it have to know.
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

    /// Reads the details of a file back; nil for what is none.
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
    /// An object of the bucket.
    static let object = ResumableFile.Purpose(rawValue: "object")
}

extension ObjectStore {
    /// Begins to receive an object in several requests. Durable when it returns.
    ///
    /// - Parameters:
    ///   - owner: Who may have how many unfinished uploads is counted by this.
    ///   - length: The size in bytes; nil where it was not said.
    /// - Throws: As ``ResumableFiles/check(_:)``, and `Failure` `quota_exceeded`.
    package func begin(_ object: ResumableObject, of owner: TreeKey, length: Int?) async throws -> ResumableFile {
        var request = ResumableFileRequest(owner: owner, purpose: .object, maxBytes: maxBytes)
        request.details = object.text
        request.length = length
        let old = try await self.object(object.name)
        let room = files.quotas.hold(for: object.name.owner, inPlaceOf: old?.byteCount ?? 0)
        try await room.expect(length ?? 1)
        return try await files.create(request, holding: room)
    }

    /// Gives the bytes of a file that is complete the object's name; see ``put(_:as:_:ending:precondition:)``. Doing it again after
    /// a crash goes on where that came.
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

    /// What somebody has moved to the blob store who did not come to name it.
    private func movedFile(of name: ObjectName, _ id: PostID) async throws -> FileReader {
        let folder = name.owner?.description ?? Self.commonFolder
        guard let fileName = try await blobs.fileNames(userID: folder, postID: id.string).first else {
            throw Failure(.bytesLost, "the bytes of \(name) are gone", hint: "send it again")
        }
        return try await blobs.open(try BlobName(userID: folder, postID: id.string, fileName: fileName))
    }

    /// The object that an upload in several requests has become; nil when it became none, or something else has the name by now.
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
    /// Counts the checksums of a file that is whole. Blocks.
    ///
    /// - Parameter file: The file if it has no name in the blob store yet.
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
