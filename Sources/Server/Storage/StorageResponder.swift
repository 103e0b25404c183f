import API
import Access
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Keeping
import Model
package import Requests
package import Store
import Transport
package import Tree
import TreeModel
package import Uploads

/// The bucket for Firebase's Storage SDKs, in the protocol of the SDKs and the emulator (`/v0/b/BUCKET/o`): objects are
/// uploaded, fetched, listed, described and deleted, as far as the storage rules allow it.
package struct StorageResponder: HTTPResponder {
    let tree: TreeStore
    let blobs: any BlobStore
    let objects: ObjectStore
    let gate: IntakeGate
    let restrictions: ModerationRestrictions
    let media: MediaAccess
    /// The files of posts, which have names in the bucket, too.
    let files: MediaRoutes
    let isEmulator: Bool
    /// The public address of the service; nil if it has none.
    let publicURL: PublicURL?

    package init(
        tree: TreeStore, blobs: any BlobStore, objects: ObjectStore, gate: IntakeGate,
        restrictions: ModerationRestrictions, media: MediaAccess, files: MediaRoutes, isEmulator: Bool,
        publicURL: PublicURL?
    ) {
        self.tree = tree
        self.blobs = blobs
        self.objects = objects
        self.gate = gate
        self.restrictions = restrictions
        self.media = media
        self.files = files
        self.isEmulator = isEmulator
        self.publicURL = publicURL
    }

    /// The header fields that pages of other origins may read.
    package static let exposedHeaders = """
        Accept-Ranges, Content-Disposition, Content-Encoding, Content-Length, Content-Range, ETag, Location, Range, \
        Retry-After, Tintype-Token, X-Goog-Upload-Chunk-Granularity, X-Goog-Upload-Control-URL, \
        X-Goog-Upload-Size-Received, X-Goog-Upload-Status, X-Goog-Upload-URL, x-goog-generation, x-goog-hash, x-goog-metageneration
        """
    package static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    /// Whether a path belongs to the bucket.
    package static func isFor(_ path: some StringProtocol) -> Bool { StorageAddress.isOne(path) }

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        if request.method == .options { return Response(status: .noContent) }
        let target = (request.head.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = StorageAddress(target[0]), isBucket(address.bucket) else { throw StorageError.notFound }
        let query = try StorageQuery(target.count > 1 ? String(target[1]) : nil)
        let asked = StorageRequest(
            request: context.asking(request), context: context, bucket: address.bucket, query: query,
            judge: ObjectJudge(rules: media.rules, identity: context.identity))
        if let text = query[UploadAddress.field] {
            guard let upload = UploadAddress(text) else { throw StorageError.notFound }
            return try await resumable.go(on: upload, asked)
        }
        switch Self.method(of: request) {
        case .get, .head:
            return address.name == nil ? try await list(asked) : try await show(try address.object, asked)
        case .post: return try await post(address, asked)
        case .patch: return try await patch(try address.object, asked)
        case .delete: return try await delete(try address.object, asked)
        default:
            throw StorageError(
                status: .methodNotAllowed, message: "The method is not allowed.", headers: [.allow: Self.methods])
        }
    }

    private var resumable: StorageReceiver {
        StorageReceiver(objects: objects, gate: gate, rules: media.rules, publicURL: publicURL)
    }

    /// Returns the intended method: some networks let only GET, POST and PUT pass, and the Android SDK always sends
    /// PUT.
    private static func method(of request: Request) -> HTTPRequest.Method {
        let override = request.headers[.methodOverride]?.uppercased()
        return [.post, .put].contains(request.method) && override == "PATCH" ? .patch : request.method
    }

    /// Whether a name is the bucket's: that of the service's project in either of Firebase's forms, and any name in an
    /// emulator.
    private func isBucket(_ name: String) -> Bool {
        isEmulator || name == media.rules.bucket
            || name == media.rules.bucket.replacing(".appspot.com", with: ".firebasestorage.app")
    }

    // MARK: Reading

    private func show(_ name: ObjectName, _ asked: StorageRequest) async throws -> Response {
        let present = try await objects.object(name)
        if present == nil, let file = PostFile(name) {
            return try await file.response(to: asked, from: files)
        }
        try asked.judge.checkRead(name, present, token: asked.query["token"])
        guard let present, try await !isWithheld(present, asked.context.identity) else {
            throw StorageError.notFound
        }
        guard asked.query["alt"] == "media" else {
            return ObjectDocument(object: present, bucket: asked.bucket).response()
        }
        let isForEverybody = asked.context.identity == .anonymous
        return try await ObjectDownload(blobs: blobs, object: present, isForEverybody: isForEverybody)
            .response(to: asked.request)
    }

    /// Whether moderation restricts an object to its owner and admins.
    private func isWithheld(_ object: StoredObject, _ identity: Identity) async throws -> Bool {
        if media.isOwn(object.blob, identity) { return false }
        return try await tree.snapshot { snapshot in
            try restrictions.restriction(of: object.blob, isOriginal: true, in: snapshot) != .none
        }
    }

    private func list(_ asked: StorageRequest) async throws -> Response {
        var query = ObjectQuery()
        query.prefix = asked.query["prefix"] ?? ""
        query.delimiter = asked.query["delimiter"] ?? ""
        query.pageToken = asked.query["pageToken"]
        guard query.prefix.utf8.count <= ObjectName.maxBytes, query.delimiter.utf8.count <= ObjectName.maxBytes else {
            throw StorageError.badRequest("The prefix or the delimiter is longer than a name.")
        }
        if let text = asked.query["maxResults"] {
            guard let count = Int(digits: text), count >= 1 else {
                throw StorageError.badRequest("maxResults is not a positive number.")
            }
            query.limit = count
        }
        try asked.judge.checkList(query.prefix)
        try asked.context.checkReads()
        let page = try await asked.context.reading { try await objects.list(query) }
        var document: JSONValue = [
            "prefixes": .list(page.prefixes.map(JSONValue.string)),
            "items": .list(
                page.names.map { ["name": .string($0.description), "bucket": .string(asked.bucket)] }),
        ]
        document["nextPageToken"] = page.nextToken.map(JSONValue.string)
        return .storage(document)
    }

    // MARK: Writing

    private func post(_ address: StorageAddress, _ asked: StorageRequest) async throws -> Response {
        if asked.query["create_token"] == "true" {
            return try await changeTokens(try address.object, asked, removing: nil)
        }
        if let token = asked.query["delete_token"] {
            return try await changeTokens(try address.object, asked, removing: token)
        }
        if StorageReceiver.isStart(asked) { return try await resumable.start(asked, named: address.name) }
        let object = try await ObjectReceiver(objects: objects, gate: gate).receive(asked, named: address.name)
        return ObjectDocument(object: object, bucket: asked.bucket).response()
    }

    private func patch(_ name: ObjectName, _ asked: StorageRequest) async throws -> Response {
        let json = try await ObjectBody.json(of: asked.request)
        let object = try await objects.patch(name, with: json) { [judge = asked.judge] present, new in
            // Only a requester who may read the object receives that it does not exist.
            guard present != nil else { return try judge.checkRead(name, nil, token: nil) }
            try judge.checkWrite(name, present, new, byteCount: present?.byteCount ?? 0)
        }
        return ObjectDocument(object: object, bucket: asked.bucket).response()
    }

    private func delete(_ name: ObjectName, _ asked: StorageRequest) async throws -> Response {
        if let file = PostFile(name), try await hasGone(file, asked.context.identity) {
            return Response(status: .noContent)
        }
        try await objects.delete(name) { [judge = asked.judge] present in
            try judge.checkDelete(name, present)
        }
        return Response(status: .noContent)
    }

    /// Whether a file belongs to a post that its author, the requester, has deleted: it is deleted with the post.
    private func hasGone(_ file: PostFile, _ identity: Identity) async throws -> Bool {
        guard media.isOwn(file.blob, identity), let id = PostID(file.blob.postID) else { return false }
        return try await tree.snapshot { snapshot in try !restrictions.isInPost(id, in: snapshot) }
    }

    private func changeTokens(
        _ name: ObjectName, _ asked: StorageRequest, removing token: String?
    ) async throws -> Response {
        guard asked.context.identity == .admin else { throw StorageError.denied("WRITE") }
        let object = try await objects.changeTokens(of: name, removing: token) { _ in }
        return ObjectDocument(object: object, bucket: asked.bucket).response()
    }
}

/// A request for the bucket, with its parsed address.
struct StorageRequest: Sendable {
    let request: Request
    let context: HTTPContext
    /// The bucket's name in the client's request.
    let bucket: String
    let query: StorageQuery
    let judge: ObjectJudge
}

extension StorageAddress {
    /// The object that the path names.
    ///
    /// - Throws: `StorageError` 404 if the path names none, 400 if the name is invalid.
    var object: ObjectName {
        get throws(StorageError) {
            guard let name else { throw .notFound }
            guard let object = ObjectName(name) else { throw .badName }
            return object
        }
    }
}

extension StorageError {
    static let badName = StorageError.badRequest(
        "This is not the name of an object: it has 1 to \(ObjectName.maxBytes) bytes, and no line breaks.")
}
