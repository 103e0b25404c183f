import API
import Database
import HTTPTypes
import Hummingbird
import NIOCore
import Tree

extension DatabaseRequest {
    /// The length, in bytes, up to which a body is received before the permission to write is checked.
    private static let shortBytes = 64 << 10

    /// Answers a PUT with the written value.
    func put() async throws -> Response {
        let terms = try terms()
        return try await answer(etag: wantsETag) {
            var write = try session.set(path, limit: parameters.writeSizeLimit)
            try await read(into: &write)
            return try await session.commit(write, on: terms)
        }
    }

    /// Answers a DELETE with `null`.
    func delete() async throws -> Response {
        let terms = try terms()
        return try await answer(etag: wantsETag) { try await session.remove(path, on: terms) }
    }

    /// Answers a PATCH with the written values, by path.
    func patch() async throws -> Response {
        let conditions = try pathConditions
        let terms = try terms(conditions)
        return try await answer(etag: false, unless: conditions) {
            var write = try session.update(path, limit: parameters.writeSizeLimit)
            try await read(into: &write)
            return try await session.commit(write, on: terms)
        }
    }

    /// Answers a POST with the key of the new child.
    func post() async throws -> Response {
        let terms = try terms()
        var write = try session.push(to: path, as: session.makeKey(), limit: parameters.writeSizeLimit)
        try await read(into: &write)
        let receipt = try await session.commit(write, on: terms)
        defer { withExtendedLifetime(receipt) {} }
        return try await answer(etag: wantsETag ? receipt.etag() : nil) {
            Array("{\"name\":\"\(receipt.childKey?.string ?? "")\"}".utf8)
        }
    }

    // MARK: - Answers

    /// Answers with the written value, or with the current value if the write's condition does not hold, or with the
    /// paths whose conditions do not hold.
    private func answer(
        etag isNamed: Bool, unless pathConditions: PathConditions? = nil, to write: () async throws -> WriteReceipt
    ) async throws -> Response {
        let receipt: WriteReceipt
        do {
            receipt = try await write()
        } catch let error as TreeError where error.code == .preconditionFailed {
            guard let pathConditions else { return try await answer(status: .preconditionFailed) }
            return pathConditions.refusal(try await SeveralNodes(of: session).broken(pathConditions.conditions))
        }
        defer { withExtendedLifetime(receipt) {} }
        return try await answer(etag: isNamed ? receipt.etag() : nil) { () throws(TreeError) in try receipt.json() }
    }

    private func answer(etag: String?, _ json: () throws(TreeError) -> [UInt8]) async throws -> Response {
        let headers = headers(etag: etag)
        guard !parameters.isSilent else { return Response(status: .noContent, headers: headers) }
        return Response(status: .ok, headers: headers, body: try await session.text(of: try json(), in: frame).body)
    }

    // MARK: - The body

    private func read(into write: inout DatabaseWrite) async throws {
        let announced = http.headers[.contentLength].flatMap { Int($0) }
        if let announced { try write.check(announced: announced) }
        if announced ?? .max > Self.shortBytes || http.headers[.expect] != nil {
            try await session.judgeBeforehand(path, isUpdate: method == .patch || method == .post)
        }
        for try await buffer in http.body { try write.receive(buffer.readableBytesUInt8Span) }
        try Task.checkCancellation()
        // An empty body is refused by the check of the value that would be written.
        guard write.byteCount == 0 || announced == nil || announced == write.byteCount else {
            throw Failure(.badRequest, "the body ended after \(write.byteCount) of \(announced ?? 0) bytes")
        }
    }
}
