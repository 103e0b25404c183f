import API
import Access
import Cryptography
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Requests
import Store
import Transport
import TreeModel
import Uploads

/// Receives objects in several requests, in two forms: Firebase's SDKs use `X-Goog-Upload-…`, others use
/// `Content-Range` as in Google Cloud Storage ("Resumable uploads").
struct StorageReceiver {
    /// The unit of the sizes of pieces, in bytes; the last piece may have any size.
    private static let granularity = 256 << 10

    let objects: ObjectStore
    let gate: IntakeGate
    let rules: StorageRulesStore
    let publicURL: PublicURL?

    /// Whether a request begins such an upload.
    static func isStart(_ asked: StorageRequest) -> Bool {
        if let name = asked.request.headers[.googUploadProtocol] { return name.lowercased() == "resumable" }
        return asked.query["uploadType"] == "resumable"
    }

    // MARK: Beginning

    /// Begins an upload: checks the rules, and returns the upload's address.
    ///
    /// - Parameter pathName: The name in the path; without one, the name is in the query, or in the metadata.
    func start(_ asked: StorageRequest, named pathName: String?) async throws -> Response {
        let headers = asked.request.headers
        let json = try await ObjectBody.json(of: asked.request)
        guard let name = (pathName ?? asked.query["name"] ?? json["name"]?.string).flatMap({ ObjectName($0) }) else {
            throw StorageError.badName
        }
        var metadata = ObjectMetadata()
        try metadata.merge(json)
        try metadata.suggest(contentType: headers.first(of: HTTPField.Name.announcedTypes))
        let length = try headers.first(of: HTTPField.Name.announcedLengths).map { text throws(StorageError) in
            guard let length = Int(digits: text) else { throw StorageError.badRequest("This is not a length.") }
            return length
        }
        let present = try await objects.object(name)
        if let length {
            try objects.checkSize(length)
            try asked.judge.checkWrite(name, present, metadata, byteCount: length)
        } else {
            try asked.judge.checkBeginning(name, present, metadata, maxBytes: nil)
        }
        let object = ResumableObject(
            name, metadata, identity: asked.context.identity.stored, secret: try RandomText.make(bytes: 16))
        let owner = asked.context.identity.ownerOfUploads
        let file = try await objects.begin(object, of: owner, length: length)
        let url = UploadAddress(file.id, secret: object.secret)
            .url(of: name, in: asked.bucket, for: asked.request.head, publicURL: publicURL)
        guard headers[.googUploadProtocol] != nil else { return Response(status: .ok, headers: [.location: url]) }
        return Response(
            status: .ok,
            headers: [
                .googUploadURL: url, .googUploadControlURL: url, .googUploadStatus: "active",
                .googUploadGranularity: "\(Self.granularity)",
            ])
    }

    // MARK: Continuing

    /// Handles a request at the address of an upload.
    func go(on address: UploadAddress, _ asked: StorageRequest) async throws -> Response {
        let step = try UploadStep(asked.request)
        guard let file = try await objects.files.record(of: address.id), let object = ResumableObject(file),
            address.isOf(object)
        else { return try await ended(address, step, asked) }
        switch step.action {
        case .cancel:
            try await objects.files.remove(file.id)
            return step.cancelled
        case .query where step.isRanged && file.isComplete:
            // Such a client has sent all bytes, and would wait forever for the end that a crash has delayed.
            return try await receive(
                asked, file.id, object, step, offset: file.byteCount, isLast: true, length: nil)
        case .query:
            return try await tell(address, step, asked)
        case .receive(let offset, let isLast, let length):
            return try await receive(asked, file.id, object, step, offset: offset, isLast: isLast, length: length)
        }
    }

    /// Reports the number of received bytes. A request that still receives is ended first, because its client has
    /// disconnected or given it up.
    private func tell(_ address: UploadAddress, _ step: UploadStep, _ asked: StorageRequest) async throws -> Response {
        do {
            return try await objects.files.withFile(address.id, isBrief: true) { session in
                step.active(session.record.byteCount)
            }
        } catch let failure as Failure where failure.code == .notFound {
            return try await ended(address, step, asked)
        }
    }

    /// Answers for an upload that has ended: a client that did not receive the final response asks again.
    private func ended(_ address: UploadAddress, _ step: UploadStep, _ asked: StorageRequest) async throws -> Response {
        guard let object = try await objects.result(of: address.id), step.action != .cancel else {
            throw StorageError(
                status: .notFound, message: "The upload does not exist; it may have expired. Begin again.")
        }
        return step.final(ObjectDocument(object: object, bucket: asked.bucket), byteCount: object.byteCount)
    }

    private func receive(
        _ asked: StorageRequest, _ id: PostID, _ object: ResumableObject, _ step: UploadStep, offset: Int?,
        isLast: Bool, length: Int?
    ) async throws -> Response {
        try gate.check()
        let activity = try asked.context.begin(.upload)
        defer { withExtendedLifetime(activity) {} }
        return try await objects.files.withFile(id) { session in
            let byteCount = session.record.byteCount
            guard offset ?? byteCount == byteCount else {
                return step.active(byteCount, mismatch: "The upload has \(byteCount) bytes, and continues there.")
            }
            if let length { try await session.announce(length: length) }
            var body = try ObjectBody(asked.request, maxBytes: session.record.maxBytes - byteCount)
            try await Self.receive(&body, in: session, isLast: isLast)
            guard isLast else { return step.active(session.record.byteCount) }
            let stored = try await finish(session, object)
            return step.final(ObjectDocument(object: stored, bucket: asked.bucket), byteCount: stored.byteCount)
        }
    }

    private static func receive(_ body: inout ObjectBody, in session: ResumableSession, isLast: Bool) async throws {
        // All bytes may have arrived, in a final request that was cut off before its response.
        guard !session.record.isComplete else {
            guard try await body.next() == nil else { throw StorageError.badRequest("All bytes have arrived.") }
            return
        }
        try await session.receive(isLast: isLast) { try await body.next() }
    }

    /// Stores the object under its name. The rules are checked again, for the identity that began the upload.
    private func finish(_ session: ResumableSession, _ object: ResumableObject) async throws -> StoredObject {
        let judge = ObjectJudge(rules: rules, identity: Identity(stored: object.identity))
        let byteCount = session.record.byteCount
        do {
            return try await objects.put(session, as: object) { present in
                try judge.checkWrite(object.name, present, object.metadata, byteCount: byteCount)
            }
        } catch let error as StorageError {
            try await objects.files.remove(session.record.id)
            throw StorageError(status: error.status, message: error.message, headers: [.googUploadStatus: "final"])
        }
    }
}

extension Identity {
    /// The identity in the form that an upload's record stores.
    fileprivate var stored: JSONValue {
        switch self {
        case .admin: "admin"
        case .anonymous: .null
        case .user(let user): user.auth
        }
    }

    fileprivate init(stored: JSONValue) {
        switch stored {
        case .object: self = .user(User(uid: stored["uid"]?.string, auth: stored))
        case .string("admin"): self = .admin
        default: self = .anonymous
        }
    }
}

extension Identity {
    /// The owner by whom unfinished uploads are counted; all unauthenticated clients share one.
    fileprivate var ownerOfUploads: TreeKey {
        switch self {
        case .admin: "=admin"
        case .anonymous: "=anonymous"
        case .user(let user): user.uid.flatMap { try? TreeKey($0) } ?? "=anonymous"
        }
    }
}
