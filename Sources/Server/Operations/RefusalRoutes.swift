import API
import Hummingbird
package import Requests
import Transport

/// `/v1/refusals`: the latest refusals, and the actions of admins.
package struct RefusalRoutes: Sendable {
    let audit: AuditLog

    package init(audit: AuditLog) {
        self.audit = audit
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint.admin(
            for: "the list of refusals",
            "listRefusals", in: .operations, "List the last refusals and actions of admins, the newest first",
            [.query("limit", .integer(1...AuditLog.kept), "the largest number of them")],
            answers: [.json(RefusalListDocument.self)], run: list)
        routes.add("/v1/refusals", [.get: list])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let text = context.query["limit"] else {
            return .json(RefusalListDocument(refusals: audit.last(AuditLog.kept)))
        }
        guard let limit = Int(text), (1...AuditLog.kept).contains(limit) else {
            throw Failure(.badRequest, "limit is not between 1 and \(AuditLog.kept)")
        }
        return .json(RefusalListDocument(refusals: audit.last(limit)))
    }
}
