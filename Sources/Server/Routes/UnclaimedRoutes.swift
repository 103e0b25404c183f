import API
import HTTPTypes
import Hummingbird
package import Keeping
import Model
import NIOCore
package import Requests
import Transport
import TreeModel

/// `/v1/unclaimed`: files that belong to no post and to no known deletion, for the operator's decision.
package struct UnclaimedRoutes: Sendable {
    private let files: UnclaimedFiles

    package init(_ files: UnclaimedFiles) {
        self.files = files
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint.admin(
            for: "the list of unclaimed files",
            "listUnclaimedFiles", in: .operations, "List files that no post claims",
            answers: [.lines(.document(UnclaimedDocument.self))], run: list)
        routes.add("/v1/unclaimed", [.get: list])
        let remove = Endpoint.admin(
            for: "deleting unclaimed files",
            "deleteUnclaimedFiles", in: .operations, "Delete files that no post claims",
            [.path("uid", .userID), .path("post", .postID)], answers: [.json(UnclaimedDeletionDocument.self)],
            errors: [.notFound], run: remove)
        routes.add("/v1/unclaimed/{uid}/{post}", [.delete: remove])
        let accept = Endpoint.admin(
            for: "accepting tree and blobs as they are",
            "acceptStore", in: .operations, "Accept tree and blobs as they are, as one store",
            answers: [.json(AcceptanceDocument.self)], run: accept)
        routes.add("/v1/unclaimed/accept", [.post: accept])
    }

    /// Lists the files, a JSON object a line.
    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        var lines = ByteBuffer()
        for post in try await files.list() { lines.writeBytes(post.json() + "\n".utf8) }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"], body: ResponseBody(byteBuffer: lines))
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let owner = UserID(context.parameters.get("uid") ?? ""),
            let id = PostID(context.parameters.get("post") ?? "")
        else {
            throw Failure(.notFound, "the files do not exist", hint: "List them all with GET /v1/unclaimed.")
        }
        try await files.remove(id, of: owner.description)
        return .json(UnclaimedDeletionDocument(post: id.description))
    }

    /// Accepts tree and blobs as they are, as one store.
    @Sendable private func accept(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await files.acceptAge()
        return .json(AcceptanceDocument())
    }
}
