import Access
import Hummingbird
import NIOCore
import Transport

/// Finds out who sends each request, and whether they have not sent too many.
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
        // A browser that asks whether a page may send a request shows nothing of who sends it.
        guard request.method != .options else { return try await next(request, context) }
        let (limiter, client) = (admission.limiter, context.client)
        var (request, context) = (request, context)
        if let stranger = admission.limitedClient(.anonymous, request.head, from: client) {
            try limiter.countRequest(of: stranger)
        }
        context.proof = try await admission.proofWaiting(of: request.head, from: client)
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

    /// Whether a request does something that only admins do. What they write to the tree, and what they post for others, is
    /// no more than others do; the endpoints of accounts tell by themselves.
    private static func isAct(_ request: Request) -> Bool {
        guard ![.get, .head, .options].contains(request.method) else { return false }
        let path = request.uri.path
        return path.hasPrefix("/.settings/") || path.hasPrefix("/v1/") && !path.hasPrefix("/v1/uploads")
    }
}
