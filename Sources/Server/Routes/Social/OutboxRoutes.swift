import API
import HTTPTypes
import Hummingbird
package import Requests
package import Social
import TreeModel

/// `/v1/outbox`: deliveries of notifications that wait, or were given up; for admins.
package struct OutboxRoutes: Sendable {
    let outbox: Outbox

    package init(outbox: Outbox) {
        self.outbox = outbox
    }

    private enum State: String, CaseIterable {
        case waiting
        case dead
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint.admin(
            for: "the list of deliveries",
            "listDeliveries", in: .notifications, "List the deliveries that were given up, or those that wait",
            [.query("state", .one(of: State.self), "the state of the deliveries; `dead` by default")]
                + .page(of: "deliveries", from: "after"),
            answers: [.json(OutboxPageDocument.self).withToken], run: list)
        routes.add("/v1/outbox", [.get: list])
        let retry = Endpoint.admin(
            for: "delivering notifications again",
            "retryDelivery", in: .notifications, "Try a delivery again at once", [.path("id", .text)],
            answers: [.json(OutboxEntryDocument.self).withToken], errors: [.notFound],
            run: retry)
        routes.add("/v1/outbox/{id}/retry", [.post: retry])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let query = context.query
        guard let state = State(rawValue: query["state"] ?? "dead") else {
            throw Failure(.badRequest, "state=\(query["state"]?.prefix(80) ?? "") is neither waiting nor dead")
        }
        let last = query["after"].flatMap { DeliveryID($0) }
        guard last != nil || query["after"] == nil else {
            throw Failure(.badRequest, "after is not a cursor", hint: "Use \"next\" of the page before.")
        }
        let (document, token) = try await outbox.page(
            ofDead: state == .dead, after: last, limit: try query.pageLimit())
        return .json(document, at: token)
    }

    @Sendable private func retry(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let text = PercentEncoding.decode(Substring(context.parameters.get("id") ?? "").utf8)
        guard let id = DeliveryID(text ?? "") else { throw Outbox.missing }
        let (document, token) = try await outbox.retry(id)
        return .json(document, at: token)
    }
}
