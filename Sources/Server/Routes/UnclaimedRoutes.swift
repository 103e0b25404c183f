import API
import HTTPTypes
import Hummingbird
import Keeping
import NIOCore
import Posts
import TreeModel

/// `/v1/unclaimed`: files that no post claims and no deletion explains, for the operator to look at and to decide about.
struct UnclaimedRoutes: Sendable {
    private let files: UnclaimedFiles

    init(_ files: UnclaimedFiles) {
        self.files = files
    }

    func add(to routes: inout RouteTable) {
        let list = Operation(
            "Files that no post claims; through the Unix socket.", answers: [.lines(.document(UnclaimedDocument.self))],
            errors: [.adminOnly], run: list)
        routes.add("/v1/unclaimed", [.get: list])
        let remove = Operation(
            "Deletes files that no post claims; through the Unix socket.",
            [.path("uid", .userID), .path("post", .postID)], answers: [.json(UnclaimedDeletionDocument.self)],
            errors: [.adminOnly, .notFound], run: remove)
        routes.add("/v1/unclaimed/{uid}/{post}", [.delete: remove])
        let accept = Operation(
            "Takes tree and blobs as they are for one store; through the Unix socket.",
            answers: [.json(AcceptanceDocument.self)], errors: [.adminOnly], run: accept)
        routes.add("/v1/unclaimed/accept", [.post: accept])
    }

    /// A JSON object a line.
    @Sendable private func list(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "the list of unclaimed files")
        var lines = ByteBuffer()
        for post in try await files.list() { lines.writeBytes(post.json() + "\n".utf8) }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"], body: ResponseBody(byteBuffer: lines))
    }

    @Sendable private func remove(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "deleting unclaimed files")
        guard let owner = UserID(context.parameters.get("uid") ?? ""),
            let id = PostID(context.parameters.get("post") ?? "")
        else {
            throw Failure(.notFound, "there are no such files", hint: "GET /v1/unclaimed lists them all")
        }
        try await files.remove(id, of: owner.description)
        return .json(UnclaimedDeletionDocument(post: id.description))
    }

    /// Takes tree and blobs as they are for one store.
    @Sendable private func accept(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "accepting tree and blobs as they are")
        try await files.acceptAge()
        return .json(AcceptanceDocument())
    }
}
