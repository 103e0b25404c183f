import HTTPTypes
import Hummingbird
import Pipeline
import Tree

/// The Realtime Database protocol over HTTP (REST): `/{path}.json` is a place in a tree.
struct DatabaseResponder: HTTPResponder {
    /// Where tools for emulators say which functions to call; none are.
    private static let functionTriggersPath = "/.settings/functionTriggers.json"

    private let access: DatabaseAccess
    private let namespaces: DatabaseNamespaces
    private let reads: DatabaseReads
    private let writes: DatabaseWrites

    init(_ pipeline: UploadPipeline, settings: DatabaseSettings) {
        access = DatabaseAccess(isEmulator: settings.isEmulator, secret: settings.secret)
        namespaces = DatabaseNamespaces(mainName: settings.namespace)
        reads = DatabaseReads(pipeline)
        writes = DatabaseWrites(pipeline, reads: reads)
    }

    func respond(to request: Request, context: DoorContext) async throws -> Response {
        guard request.method != .options else {
            return Response(status: .ok, headers: .preflight(for: request.headers))
        }
        let parameters = try DatabaseParameters(query: request.uri.query)
        try access.check(request, parameters, context)
        if request.uri.path == Self.functionTriggersPath { return .accepted }
        let asked = try DatabaseRequest(request, parameters, namespaces)
        let response = try await answer(asked)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ asked: DatabaseRequest) async throws -> Response {
        switch asked.method {
        case .get, .head: try await reads.get(asked)
        case .put: try await writes.put(asked)
        case .post: try await writes.post(asked)
        case .patch: try await writes.patch(asked)
        case .delete: try await writes.delete(asked)
        default: throw ServerError(.methodNotAllowed, "\(asked.method.rawValue) is not possible here")
        }
    }
}

extension Response {
    /// What is answered where something is taken note of.
    fileprivate static var accepted: Response {
        Response(
            status: .ok, headers: .database, body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"status\":\"ok\"}")))
    }
}
