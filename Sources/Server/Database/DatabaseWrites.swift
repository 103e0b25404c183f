import Access
import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Pipeline
import Tree

/// Changes of a tree: PUT, POST, PATCH and DELETE.
///
/// A body becomes rows while it comes, and is never there as a whole.
struct DatabaseWrites: Sendable {
    /// How many bytes of bodies may be in work at once: a largest one beside many that are small.
    private static let maxBytesInWork = 2 * WriteSizeLimit.maxBytes

    private let tree: TreeStore
    private let ids: PushIDGenerator
    /// Whether the service's own tree is gone when the service ends.
    private let isThrowAway: Bool
    private let reads: DatabaseReads
    private let budget = ByteBudget(maxBytes: maxBytesInWork)

    init(_ storage: StorageFolder, reads: DatabaseReads) {
        tree = storage.tree
        ids = storage.ids
        isThrowAway = storage.engine == .memory
        self.reads = reads
    }

    /// Answers a PUT with what was written.
    func put(_ asked: DatabaseRequest) async throws -> Response {
        if asked.place.isPriority { try refuseCondition(asked) }
        try refuseWholeTree(asked)
        return try await write(asked) { share in
            try await read(asked.place.isPriority ? .priority : .value, asked, share)
        }
    }

    /// Answers a DELETE with `null`.
    func delete(_ asked: DatabaseRequest) async throws -> Response {
        if asked.place.isPriority { try refuseCondition(asked) }
        try refuseWholeTree(asked)
        return try await write(asked) { _ in
            asked.place.isPriority
                ? try JSONUpdate(.priority, at: asked.place.node, json: "null".utf8)
                : JSONUpdate(deleting: asked.place.node)
        }
    }

    /// Answers a PATCH with what was written, by its paths.
    func patch(_ asked: DatabaseRequest) async throws -> Response {
        try refuseCondition(asked)
        try refusePriority(asked)
        return try await write(asked) { share in
            let update = try await read(.update, asked, share)
            if update.replacesPlace { try refuseWholeTree(asked) }
            return update
        }
    }

    /// Answers a POST with the key under which the new child stands.
    func post(_ asked: DatabaseRequest) async throws -> Response {
        try refuseCondition(asked)
        try refusePriority(asked)
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let id = ids.next()
        let update = try await read(.value, asked, share, at: asked.place.node / id)
        let receipt = try await tree.update(update)
        return try await answer(asked, etag: asked.wantsETag ? receipt.etag() : nil) {
            Array("{\"name\":\"\(id)\"}".utf8)
        }
    }

    // MARK: - One write

    private func write(
        _ asked: DatabaseRequest, _ read: (ByteBudget.Share) async throws -> JSONUpdate
    ) async throws -> Response {
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let update = try await read(share)
        let receipt: JSONReceipt
        do {
            receipt = try await tree.update(update, if: asked.ifMatch.map { [.etag(asked.place.node, $0)] } ?? [])
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return try await reads.answer(asked, status: .preconditionFailed)
        }
        let isNamed = asked.method != .patch && asked.wantsETag
        return try await answer(asked, etag: isNamed ? receipt.etag() : nil) { () throws(TreeError) in
            try receipt.json()
        }
    }

    private func answer(
        _ asked: DatabaseRequest, etag: String?, _ json: () throws(TreeError) -> [UInt8]
    ) async throws -> Response {
        let headers = asked.headers(etag: etag)
        guard !asked.parameters.isSilent else { return Response(status: .noContent, headers: headers) }
        let (bytes, spool) = (try json(), reads.spool)
        let text =
            SpooledBody.fitsInMemory(bytes)
            ? try SpooledBody.whole(bytes, asked.parameters, spool: spool)
            : try await FileThreads.run { () throws(TreeError) in
                try SpooledBody.whole(bytes, asked.parameters, spool: spool)
            }
        return Response(status: .ok, headers: headers, body: text.body)
    }

    /// Refuses to replace or delete the service's own tree as a whole for anybody but its owner, unless the tree is a
    /// throw-away one: all posts would be gone.
    private func refuseWholeTree(_ asked: DatabaseRequest) throws(ServerError) {
        guard asked.place.node == .root, !asked.place.isPriority, asked.identity != .admin,
            !isThrowAway
        else { return }
        throw ServerError(
            .permissionDenied, Admission.denied.message,
            hint: """
                only the owner replaces or deletes the service's own tree as a whole: over the Unix socket, with the \
                database's secret, or with "Authorization: Bearer owner" from this machine; ns=NAME is a tree of its own
                """)
    }

    private func refuseCondition(_ asked: DatabaseRequest) throws(ServerError) {
        guard asked.ifMatch == nil else {
            throw ServerError(
                .conditionNotSupported,
                "if-match is not supported with \(asked.place.isPriority ? "a priority" : asked.method.rawValue)",
                hint: "PUT and DELETE of a value take conditions")
        }
    }

    private func refusePriority(_ asked: DatabaseRequest) throws(ServerError) {
        guard !asked.place.isPriority else {
            throw DatabasePlace.invalid("a priority is written by PUT and DELETE")
        }
    }

    // MARK: - The body

    private func read(
        _ form: JSONUpdate.Form, _ asked: DatabaseRequest, _ share: ByteBudget.Share, at path: TreePath? = nil
    ) async throws -> JSONUpdate {
        let headers = asked.request.headers
        let limit = asked.parameters.writeSizeLimit
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced { try limit.check(announced) }
        var reader = JSONUpdate.Reader(form, at: path ?? asked.place.node)
        var byteCount = 0
        for try await buffer in asked.request.body {
            byteCount += buffer.readableBytes
            try limit.check(byteCount)
            try share.take(buffer.readableBytes)
            try reader.feed(buffer.readableBytesUInt8Span)
        }
        try Task.checkCancellation()
        guard byteCount > 0 else { throw ServerError(.noData, "Error: No data supplied.") }
        guard announced == nil || announced == byteCount else {
            throw ServerError(.badRequest, "the body ended after \(byteCount) of \(announced ?? 0) bytes")
        }
        return try reader.finish()
    }
}
