import API
import Database
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
package import Requests

/// The Realtime Database protocol over HTTP (REST): `/{path}.json` is a path in a tree.
///
/// It is an encoder over the session of the request's sender.
package struct DatabaseResponder: HTTPResponder {
    /// The path at which emulator tools register functions; it is accepted and ignored.
    private static let functionTriggersPath = "/.settings/functionTriggers.json"
    private static let rulesPath = "/.settings/rules.json"

    /// The longest rules document, in bytes.
    private static let maxRulesBytes = 1 << 20

    /// The supported methods.
    package static let methods = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"

    let access: DatabaseAccess
    let siteGuard: SiteGuard

    package init(access: DatabaseAccess, siteGuard: SiteGuard) {
        self.access = access
        self.siteGuard = siteGuard
    }

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        guard request.method != .options else {
            return Response(status: .ok, headers: [.allow: Self.methods, .cacheControl: "no-cache"])
        }
        let request = context.asking(request)
        let admitted = try access.admit(
            request.head, at: request.uri, from: context.client, by: context.proof, counting: context.activities)
        if admitted.parameters.callback != nil { try siteGuard.checkScript(request.head, from: context.client) }
        let response =
            switch request.uri.path {
            case Self.functionTriggersPath: Response.database("{\"status\":\"ok\"}")
            case Self.rulesPath: try await rules(request, admitted)
            default: try await answer(try DatabaseRequest(request, admitted), context)
            }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: DatabaseRequest, _ context: HTTPContext) async throws -> Response {
        if [.get, .head].contains(request.method) || request.comparesValues { try context.checkReads() }
        if request.asksForStream {
            _ = try request.parameters.query()
            throw Failure(
                .tooManyRequests, "too many streams", hint: "Try again when others have ended.", retryAfter: 5)
        }
        return switch request.method {
        case .get, .head: try await request.get()
        case .put: try await request.put()
        case .post: try await request.post()
        case .patch: try await request.patch()
        case .delete: try await request.delete()
        default: throw Failure(.methodNotAllowed, "\(request.method.rawValue) is not possible here")
        }
    }

    private func rules(_ request: Request, _ admitted: AdmittedRequest) async throws -> Response {
        let rules = try admitted.session.rules(of: admitted.namespace)
        switch request.method {
        case .get, .head:
            // Text with comments is not JSON; a client that needs JSON requests it.
            return .database(try await rules.text(isStrict: admitted.parameters.isStrict))
        case .put:
            let body = try await request.body.collect(upTo: Self.maxRulesBytes)
            try await rules.replace(by: body.readableBytesView)
            return .database("{\"status\":\"ok\"}")
        default:
            throw Failure(.methodNotAllowed, "\(request.method.rawValue) is not possible here")
        }
    }
}

extension Response {
    /// Returns a response with a complete JSON text.
    fileprivate static func database(_ json: String) -> Response {
        Response(status: .ok, headers: .database, body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }
}
