import API
import HTTPTypes
import Hummingbird
import NIOCore
package import Requests
import Rules
import Transport
import TreeModel

/// `/v1/storage-rules`: the rules of access to the files of posts.
package struct StorageRulesRoutes: Sendable {
    let rules: StorageRulesStore

    package init(rules: StorageRulesStore) {
        self.rules = rules
    }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint.admin(
            for: "reading the storage rules",
            "getStorageRules", in: .database, "Get the storage rules, as they were written",
            answers: [.content("text/plain")], run: show)
        let replace = Endpoint.admin(
            for: "replacing the storage rules",
            "putStorageRules", in: .database, "Replace the storage rules", body: ["text/plain": .text],
            answers: [.json(StorageRulesDocument.self)], errors: [.invalidRules, .tooLarge],
            run: replace)
        routes.add("/v1/storage-rules", [.get: show, .put: replace])
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: rules.inForce.text)))
    }

    @Sendable private func replace(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let body = try await request.body.collect(upTo: StorageRules.maxBytes)
        guard let text = String(validating: Array(body.readableBytesView).span) else {
            throw Failure(.invalidRules, "the rules are not UTF-8")
        }
        do throws(TreeError) {
            try await rules.set(text)
        } catch {
            guard error.code == .invalidRules else { throw error }
            throw Failure(.invalidRules, error.message, hint: error.hint ?? "Correct the rules. The old ones stay.")
        }
        return .json(StorageRulesDocument(areRenditionsPublic: rules.inForce.areRenditionsPublic))
    }
}
