import API
import HTTPTypes
import Hummingbird
import NIOCore
import Rules
import TreeModel

/// `/v1/storage-rules`: who may fetch which files of posts.
struct StorageRulesRoutes: Sendable {
    let rules: StorageRulesStore

    func add(to routes: inout RouteTable) {
        let show = Operation(
            "The storage rules, as they were written; for admins.", answers: [.content("text/plain")],
            errors: [.badToken, .adminOnly], run: show)
        let replace = Operation(
            "Replaces the storage rules; for admins.", body: ["text/plain": .text],
            answers: [.json(StorageRulesDocument.self)], errors: [.badToken, .adminOnly, .invalidRules, .tooLarge],
            run: replace)
        routes.add("/v1/storage-rules", [.get: show, .put: replace])
    }

    @Sendable private func show(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "reading the storage rules")
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: rules.inForce.text)))
    }

    @Sendable private func replace(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "replacing the storage rules")
        let body = try await request.body.collect(upTo: StorageRules.maxBytes)
        guard let text = String(validating: Array(body.readableBytesView).span) else {
            throw Failure(.invalidRules, "the rules are no UTF-8")
        }
        do throws(TreeError) {
            try await rules.set(text)
        } catch {
            guard error.code == .invalidRules else { throw error }
            throw Failure(.invalidRules, error.message, hint: error.hint ?? "correct the rules; the old ones stay")
        }
        return .json(StorageRulesDocument(areRenditionsPublic: rules.inForce.areRenditionsPublic))
    }
}
