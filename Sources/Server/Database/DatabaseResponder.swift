import API
import Access
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Pipeline
import Tree

/// The Realtime Database protocol over HTTP (REST): `/{path}.json` is a place in a tree.
struct DatabaseResponder: HTTPResponder {
    /// Where tools for emulators say which functions to call; none are.
    private static let functionTriggersPath = "/.settings/functionTriggers.json"

    private let names: HostNames
    private let admission: Admission
    private let namespaces: DatabaseNamespaces
    private let reads: DatabaseReads
    private let writes: DatabaseWrites
    private let rules: DatabaseRules

    init(
        _ storage: StorageFolder, settings: DatabaseSettings, admission: Admission, names: HostNames,
        spool: ResponseSpool
    ) {
        self.names = names
        self.admission = admission
        namespaces = DatabaseNamespaces(settings, names)
        reads = DatabaseReads(storage.tree, spool: spool)
        writes = DatabaseWrites(storage, reads: reads)
        rules = DatabaseRules(storage.tree)
    }

    func respond(to request: Request, context: RequestContext) async throws -> Response {
        guard request.method != .options else {
            return Response(status: .ok, headers: .preflight(for: request.headers))
        }
        let request = context.asking(request)
        let parameters = try DatabaseParameters(query: request.uri.query)
        let identity = try admission.admit(request.head, parameters, isTrusted: context.isTrusted)
        let namespace = try namespaces.namespace(named: parameters.namespace, host: request.head.authority)
        let response: Response
        switch request.uri.path {
        case Self.functionTriggersPath:
            response = .database("{\"status\":\"ok\"}")
        case DatabaseRules.path:
            guard identity == .admin else { throw Admission.denied }
            response = try await rules.answer(request, parameters, of: namespace)
        default:
            response = try await answer(try DatabaseRequest(request, parameters, as: identity, in: namespace))
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: DatabaseRequest) async throws -> Response {
        switch request.method {
        case .get, .head: try await reads.get(request)
        case .put: try await writes.put(request)
        case .post: try await writes.post(request)
        case .patch: try await writes.patch(request)
        case .delete: try await writes.delete(request)
        default: throw Failure(.methodNotAllowed, "\(request.method.rawValue) is not possible here")
        }
    }

    /// What a request may listen to; nil when it may not, or names no place of a tree: then it is answered as any other.
    func source(for head: HTTPRequest, isTrusted: Bool) -> ListenRequest? {
        guard head.method == .get, head.isForDatabase, isTrusted || names.isOwn(head),
            let target = head.path
        else { return nil }
        let uri = URI(target)
        guard let parameters = try? DatabaseParameters(query: uri.query),
            let query = try? parameters.query().map(Optional.some) ?? .some(nil),
            (try? admission.admit(head, parameters, isTrusted: isTrusted)) != nil,
            let namespace = try? namespaces.namespace(named: parameters.namespace, host: head.authority),
            let path = try? DatabasePath(path: uri.path, in: namespace), !path.isPriority
        else { return nil }
        return ListenRequest(path: path.node, query: query)
    }
}

extension Response {
    /// An answer that is there as text.
    static func database(_ json: String) -> Response {
        Response(status: .ok, headers: .database, body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }
}
