import API
package import Accounts
import Hummingbird
package import Requests
import Transport
import TreeModel

/// `/v1/join-requests`: the requests of people without an invitation to become members.
package struct JoinRequestRoutes: Sendable {
    private static let maxBodyBytes = 16 << 10
    private static let example = #"{"name":"Ann Lee","email":"ann@example.com","text":"I sing with you."}"#

    private let requests: JoinRequests
    private let invitations: Invitations

    package init(_ accounts: IdentityService) {
        (requests, invitations) = (accounts.joinRequests, accounts.invitations)
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint(
            "listJoinRequests", in: .accounts, "List the requests to join, the oldest first", details: "For admins.",
            answers: [.json(JoinRequestListDocument.self)],
            errors: [.adminOnly], run: list)
        let send = Endpoint(
            "createJoinRequest", in: .accounts, "Request an invitation",
            details: "The answer does not show whether the address has an account.", access: .anybody,
            body: [
                "application/json": .object(
                    [
                        "name": .text(upTo: JoinRequest.maxNameLength), "email": .text(upTo: EmailAddress.maxLength),
                        "text": .text(upTo: JoinRequest.maxTextLength),
                    ], required: ["name", "email"]
                ).named("NewJoinRequest")
            ], answers: [.json(JoinReceiptDocument.self, .accepted)],
            errors: [.notAllowed, .badText, .wrongState, .tooManyRequests, .unsupportedType, .tooLarge], run: send)
        routes.add("/v1/join-requests", [.get: list, .post: send])
        let id = Parameter.path("id", .text(matching: "^[0-9a-f]{16}$"))
        let approve = Endpoint(
            "approveJoinRequest", in: .accounts, "Approve a request to join",
            details: "It makes an invitation for the address, and sends it if that is possible. For admins.",
            [id], body: ["application/json": InvitationFields.schema], answers: [.json(JoinApprovalDocument.self)],
            errors: [.adminOnly, .notFound, .wrongState, .badText, .unsupportedType, .tooLarge], run: approve)
        routes.add("/v1/join-requests/{id}/approve", [.post: approve])
        let decline = Endpoint(
            "declineJoinRequest", in: .accounts, "Decline a request to join",
            details: "Its sender receives no message. For admins.", [id],
            answers: [.json(JoinRefusalDocument.self)], errors: [.adminOnly, .notFound], run: decline)
        routes.add("/v1/join-requests/{id}", [.delete: decline])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "the list of requests to join")
        let waiting = try await answering { () throws(IdentityError) in try await requests.list() }
        return .json(
            JoinRequestListDocument(
                requests: waiting.map {
                    JoinRequestDocument(
                        id: $0.id, email: $0.email.description, name: $0.name, text: $0.text,
                        created: $0.createdAt.milliseconds)
                }), headers: [.cacheControl: "no-store"])
    }

    @Sendable private func send(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let members = try await context.jsonMembers(
            ["name", "email", "text"], of: request, upTo: Self.maxBodyBytes, example: Self.example)
        let name = try InvitationFields.line(members["name"], "name", upTo: JoinRequest.maxNameLength)
        guard !name.isEmpty else { throw Failure(.badText, "the name is empty", hint: "Write it as \(Self.example).") }
        let text = try members["text"].map { (value) throws(Failure) in
            try InvitationFields.line(value, "text", upTo: JoinRequest.maxTextLength)
        }
        try await answering { () throws(IdentityError) in
            try await requests.add(
                name: name, email: members["email"]?.string ?? "", text: text ?? "",
                from: context.throttledAddress(of: request))
        }
        return .json(JoinReceiptDocument(), status: .accepted)
    }

    @Sendable private func approve(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let maker = InvitationMaker.admin(try context.admin(for: "approving a request to join"))
        let members = try await context.jsonMembers(
            InvitationFields.names, of: request, upTo: Self.maxBodyBytes, example: InvitationFields.example)
        let order = try InvitationFields.order(members)
        let (invitation, code, isSent) = try await answering { () throws(IdentityError) in
            try await requests.approve(context.parameters.get("id") ?? "", order, by: maker)
        }
        let document = InvitationDocument(
            invitation, at: invitations.now, code: code.shown, link: invitations.link(to: code))
        return .json(
            JoinApprovalDocument(invitation: document, sent: isSent), headers: [.cacheControl: "no-store"])
    }

    @Sendable private func decline(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "declining a request to join")
        let declined = try await answering { () throws(IdentityError) in
            try await requests.decline(context.parameters.get("id") ?? "")
        }
        return .json(JoinRefusalDocument(id: declined.id))
    }
}
