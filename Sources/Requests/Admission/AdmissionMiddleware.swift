import Access
import Hummingbird
import NIOCore
import Transport

/// Authenticates each request, and checks its sender's limits.
package struct AdmissionMiddleware: RouterMiddleware {
    let admission: Admission
    let audit: AuditLog

    package init(admission: Admission, audit: AuditLog) {
        self.admission = admission
        self.audit = audit
    }

    func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        // A browser's preflight request carries no credentials.
        guard request.method != .options else { return try await next(request, context) }
        let (limiter, client) = (admission.limiter, context.client)
        var (request, context) = (request, context)
        if let stranger = admission.limitedClient(.anonymous, request.head, from: client) {
            try limiter.countRequest(of: stranger)
        }
        context.proof = try await admission.proofWaiting(of: request.head, from: client)
        context.sender.note(context.identity)
        if let limited = admission.limitedClient(context.proof, request.head, from: client) {
            if case .user = limited { try limiter.countRequest(of: limited) }
            context.activities = Activities(limiter: limiter, client: limited)
            request.body = RequestBody(
                asyncSequence: request.body.map { bytes in
                    limiter.count(bytes.readableBytes, of: limited)
                    return bytes
                })
        }
        let response = try await next(request, context)
        if context.identity == .admin, response.status.kind == .successful, Self.isAct(request) {
            audit.done(request.head, from: client, proof: context.proof)
        }
        return response
    }

    /// Whether a request is an action reserved for admins. Writes to the tree and posts for others are also possible
    /// for other users; the account endpoints report their actions themselves.
    private static func isAct(_ request: Request) -> Bool {
        guard ![.get, .head, .options].contains(request.method) else { return false }
        let path = request.uri.path
        return path.hasPrefix("/.settings/") || path.hasPrefix("/v1/") && !path.hasPrefix("/v1/uploads")
    }
}
