import API
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Store
import Transport
import TreeModel
import Uploads

/// Receives objects in one request: their bytes alone, or after their metadata.
struct ObjectReceiver {
    let objects: ObjectStore
    let gate: IntakeGate

    /// Receives an object. The rules are checked before the first byte is stored, and again when all have arrived.
    ///
    /// - Parameter pathName: The name in the path; without one, the name is in the query, or in the metadata.
    /// - Throws: `StorageError`, `Failure`, or the connection's errors; the bucket is unchanged then.
    func receive(_ asked: StorageRequest, named pathName: String?) async throws -> StoredObject {
        try gate.check()
        let activity = try asked.context.begin(.upload)
        defer { withExtendedLifetime(activity) {} }
        var parts = try ObjectParts(asked.request, maxBytes: objects.maxBytes)
        var metadata = ObjectMetadata()
        var name = pathName ?? asked.query["name"]
        if let (json, partType) = try await parts.readMetadata() {
            try metadata.merge(json)
            try metadata.suggest(contentType: partType)
            name = name ?? json["name"]?.string
        } else {
            try metadata.suggest(contentType: asked.request.headers[.contentType])
        }
        guard let object = name.flatMap({ ObjectName($0) }) else { throw StorageError.badName }
        return try await store(object, metadata, &parts, asked.judge)
    }

    private func store(
        _ name: ObjectName, _ metadata: ObjectMetadata, _ parts: inout ObjectParts, _ judge: ObjectJudge
    ) async throws -> StoredObject {
        try judge.checkBeginning(name, try await objects.object(name), metadata, maxBytes: parts.announced)
        let upload = try await objects.beginUpload(of: name, length: parts.announced)
        while let buffer = try await parts.nextBytes() { try await upload.write(buffer) }
        // An upload that will be refused need not be made durable.
        let byteCount = upload.byteCount
        try judge.checkWrite(name, try await objects.object(name), metadata, byteCount: byteCount)
        return try await objects.put(try await upload.finish(), as: name, metadata) { present in
            try judge.checkWrite(name, present, metadata, byteCount: byteCount)
        }
    }
}
