import API
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
    func put(_ request: DatabaseRequest) async throws -> Response {
        if request.path.isPriority { try refuseCondition(request) }
        try refuseWholeTree(request)
        return try await write(request) { share in
            try await read(request.path.isPriority ? .priority : .value, request, share)
        }
    }

    /// Answers a DELETE with `null`.
    func delete(_ request: DatabaseRequest) async throws -> Response {
        if request.path.isPriority { try refuseCondition(request) }
        try refuseWholeTree(request)
        return try await write(request) { _ in
            request.path.isPriority
                ? try JSONUpdate(.priority, at: request.path.node, json: "null".utf8)
                : JSONUpdate(deleting: request.path.node)
        }
    }

    /// Answers a PATCH with what was written, by its paths.
    func patch(_ request: DatabaseRequest) async throws -> Response {
        try refuseCondition(request)
        try refusePriority(request)
        return try await write(request) { share in
            let update = try await read(.update, request, share)
            if update.replacesPlace { try refuseWholeTree(request) }
            return update
        }
    }

    /// Answers a POST with the key under which the new child stands.
    func post(_ request: DatabaseRequest) async throws -> Response {
        try refuseCondition(request)
        try refusePriority(request)
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let id = ids.next()
        let update = try await read(.value, request, share, at: request.path.node / id)
        let receipt = try await tree.update(update)
        return try await answer(request, etag: request.wantsETag ? receipt.etag() : nil) {
            Array("{\"name\":\"\(id)\"}".utf8)
        }
    }

    // MARK: - One write

    private func write(
        _ request: DatabaseRequest, _ read: (ByteBudget.Share) async throws -> JSONUpdate
    ) async throws -> Response {
        let share = budget.share()
        defer { withExtendedLifetime(share) {} }
        let update = try await read(share)
        let receipt: JSONReceipt
        do {
            receipt = try await tree.update(update, if: request.ifMatch.map { [.etag(request.path.node, $0)] } ?? [])
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return try await reads.answer(request, status: .preconditionFailed)
        }
        let isNamed = request.method != .patch && request.wantsETag
        return try await answer(request, etag: isNamed ? receipt.etag() : nil) { () throws(TreeError) in
            try receipt.json()
        }
    }

    private func answer(
        _ request: DatabaseRequest, etag: String?, _ json: () throws(TreeError) -> [UInt8]
    ) async throws -> Response {
        let headers = request.headers(etag: etag)
        guard !request.parameters.isSilent else { return Response(status: .noContent, headers: headers) }
        let (bytes, spool) = (try json(), reads.spool)
        let text =
            SpooledBody.fitsInMemory(bytes)
            ? try SpooledBody.whole(bytes, request.parameters, spool: spool)
            : try await FileThreads.run { () throws(TreeError) in
                try SpooledBody.whole(bytes, request.parameters, spool: spool)
            }
        return Response(status: .ok, headers: headers, body: text.body)
    }

    /// Refuses to replace or delete the service's own tree as a whole for anybody but its owner, unless the tree is a
    /// throw-away one: all posts would be gone.
    private func refuseWholeTree(_ request: DatabaseRequest) throws(Failure) {
        guard request.path.node == .root, !request.path.isPriority, request.identity != .admin,
            !isThrowAway
        else { return }
        throw Failure(
            .permissionDenied, Admission.denied.message,
            hint: """
                only the owner replaces or deletes the service's own tree as a whole: over the Unix socket, with the \
                database's secret, or with "Authorization: Bearer owner" from this machine; ns=NAME is a tree of its own
                """)
    }

    private func refuseCondition(_ request: DatabaseRequest) throws(Failure) {
        guard request.ifMatch == nil else {
            throw Failure(
                .conditionNotSupported,
                "if-match is not supported with \(request.path.isPriority ? "a priority" : request.method.rawValue)",
                hint: "PUT and DELETE of a value take conditions")
        }
    }

    private func refusePriority(_ request: DatabaseRequest) throws(Failure) {
        guard !request.path.isPriority else {
            throw DatabasePath.invalid("a priority is written by PUT and DELETE")
        }
    }

    // MARK: - The body

    private func read(
        _ form: JSONUpdate.Form, _ request: DatabaseRequest, _ share: ByteBudget.Share, at path: TreePath? = nil
    ) async throws -> JSONUpdate {
        let headers = request.http.headers
        let limit = request.parameters.writeSizeLimit
        let announced = headers[.contentLength].flatMap { Int($0) }
        if let announced { try limit.check(announced) }
        var reader = JSONUpdate.Reader(form, at: path ?? request.path.node)
        var byteCount = 0
        for try await buffer in request.http.body {
            byteCount += buffer.readableBytes
            try limit.check(byteCount)
            try share.take(buffer.readableBytes)
            try reader.feed(buffer.readableBytesUInt8Span)
        }
        try Task.checkCancellation()
        guard byteCount > 0 else { throw Failure(.noData, "Error: No data supplied.") }
        guard announced == nil || announced == byteCount else {
            throw Failure(.badRequest, "the body ended after \(byteCount) of \(announced ?? 0) bytes")
        }
        return try reader.finish()
    }
}
