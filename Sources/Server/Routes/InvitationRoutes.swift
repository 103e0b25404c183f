import API
import Access
package import Accounts
import Hummingbird
import Model
package import Requests
import Transport
import TreeModel

/// `/v1/invitations`: the invitations to create an account, or to join an audience.
package struct InvitationRoutes: Sendable {
    private static let maxBodyBytes = 16 << 10
    private static let codeExample = #"{"code":"K7QM-2XRT"}"#

    private let invitations: Invitations
    /// Returns the present name of the service, for people who are invited.
    private let name: @Sendable () -> String

    package init(_ accounts: IdentityService, name: @escaping @Sendable () -> String) {
        invitations = accounts.invitations
        self.name = name
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint(
            "listInvitations", in: .accounts, "List the invitations, the newest first",
            details: "Admins receive all, others those to audiences that they own.", access: .person,
            [.query("audience", .userID, "the audience whose invitations are listed")]
                + .page(of: "invitations", from: "after"),
            answers: [.json(InvitationPageDocument.self)], errors: [.permissionDenied, .badUser, .notFound], run: list)
        let make = Endpoint(
            "createInvitation", in: .accounts, "Make an invitation, whose link is returned only once",
            details: "For admins, and the owners of its audience.", access: .person,
            body: ["application/json": InvitationFields.schema],
            answers: [.json(InvitationDocument.self, .created)],
            errors: [
                .permissionDenied, .adminOnly, .notAllowed, .badUser, .notFound, .wrongState, .badText,
                .unsupportedType, .tooLarge,
            ], run: make)
        routes.add("/v1/invitations", [.get: list, .post: make])
        let withdraw = Endpoint(
            "withdrawInvitation", in: .accounts, "Withdraw an invitation by its id or its code",
            details: "For admins, and the owners of its audience.", access: .person,
            [.path("id", .text(matching: "^[0-9A-Za-z_-]{8,24}$"))], answers: [.json(InvitationDocument.self)],
            errors: [.permissionDenied, .badUser, .invitationUnknown], run: withdraw)
        routes.add("/v1/invitations/{id}", [.delete: withdraw])
        let code = [
            "application/json": Schema.object(["code": .text(upTo: 2048)], required: ["code"]).named("InvitationCode")
        ]
        let codeErrors: [ErrorCode] = [
            .invitationUnknown, .invitationElsewhere, .invitationExpired, .invitationUsedUp, .invitationWithdrawn,
            .tooManyRequests, .unsupportedType, .tooLarge,
        ]
        let check = Endpoint(
            "checkInvitation", in: .accounts, "Get the purpose of an invitation by its code or link", access: .anybody,
            body: code,
            answers: [.json(InvitationPurposeDocument.self)], errors: codeErrors, run: check)
        routes.add("/v1/invitations/check", [.post: check])
        let use = Endpoint(
            "useInvitation", in: .accounts, "Use an invitation, and become a member of its audience",
            access: .person, body: code,
            answers: [.json(InvitationUseDocument.self)],
            errors: codeErrors + [.permissionDenied, .badUser, .badAudience], run: use)
        routes.add("/v1/invitations/use", [.post: use])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (maker, limit) = (try context.invitationMaker, try context.query.pageLimit())
        let audience = try context.query["audience"].map(InvitationFields.audience)
        let page = try await answering { () throws(IdentityError) in
            try await invitations.page(for: maker, of: audience, after: context.query["after"], limit: limit)
        }
        let now = invitations.now
        return .json(
            InvitationPageDocument(
                invitations: page.invitations.map { InvitationDocument($0, at: now) }, next: page.next),
            headers: [.cacheControl: "no-store"])
    }

    @Sendable private func make(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let maker = try context.invitationMaker
        let members = try await context.jsonMembers(
            InvitationFields.names, of: request, upTo: Self.maxBodyBytes, example: InvitationFields.example)
        let order = try InvitationFields.order(members)
        let (invitation, code) = try await answering { () throws(IdentityError) in
            try await invitations.add(order, by: maker)
        }
        let document = InvitationDocument(
            invitation, at: invitations.now, code: code.shown, link: invitations.link(to: code))
        return .json(document, status: .created, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func withdraw(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let maker = try context.invitationMaker
        let invitation = try await answering { () throws(IdentityError) in
            try await invitations.withdraw(context.parameters.get("id") ?? "", by: maker)
        }
        return .json(InvitationDocument(invitation, at: invitations.now))
    }

    @Sendable private func check(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let code = try await code(in: request, context)
        let purpose = try await answering { () throws(IdentityError) in
            try await invitations.check(code, from: context.throttledAddress(of: request))
        }
        let document = InvitationPurposeDocument(
            service: name(), audience: purpose.invitation.audience?.description, audienceName: purpose.audienceName,
            role: purpose.invitation.role?.rawValue, by: purpose.makerName, admits: purpose.admits,
            needsAddress: !purpose.invitation.isWithoutAddress, expires: purpose.invitation.expiresAt.milliseconds)
        return .json(document, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func use(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.actor
        let code = try await code(in: request, context)
        let (invitation, isUsed) = try await answering { () throws(IdentityError) in
            try await invitations.use(code, for: uid, from: context.throttledAddress(of: request))
        }
        return .json(
            InvitationUseDocument(
                audience: invitation.audience?.description, role: invitation.role?.rawValue,
                admin: invitation.grantsAdmin, used: isUsed))
    }

    private func code(in request: Request, _ context: HTTPContext) async throws -> String {
        let members = try await context.jsonMembers(
            ["code"], of: request, upTo: Self.maxBodyBytes, example: Self.codeExample)
        guard let code = members["code"]?.string else {
            throw Failure(.badRequest, "code is missing, or not a text", hint: "Write it as \(Self.codeExample).")
        }
        return code
    }
}

/// Runs an operation on accounts, and converts its errors to failures of the photo API.
func answering<R: Sendable>(_ body: () async throws(IdentityError) -> R) async throws(Failure) -> R {
    do throws(IdentityError) {
        return try await body()
    } catch {
        throw Failure(error)
    }
}

extension HTTPContext {
    /// The requester of an operation on invitations.
    ///
    /// - Throws: `Failure` with the code `permission_denied` for an unauthenticated request, `bad_user` for a user who
    ///   cannot be a member of an audience.
    var invitationMaker: InvitationMaker {
        get throws(Failure) {
            switch identity {
            case .admin: .admin(nil)
            case .user(let user) where user.isAdmin: .admin(viewer)
            case .anonymous, .user: .person(try actor)
            }
        }
    }

    /// Returns the identity of the requester for throttling; nil for the owner of the service.
    func throttledAddress(of request: Request) -> String? {
        identity == .admin ? nil : LimitedClient.networkText(of: client.address(of: request.head))
    }
}

extension InvitationDocument {
    /// - Parameters:
    ///   - code: The code, just after the creation; otherwise only a short one is shown.
    ///   - link: The link with the code, just after the creation.
    init(_ invitation: Invitation, at now: Timestamp, code: String? = nil, link: String? = nil) {
        self.init(
            id: invitation.id, state: invitation.state(at: now).rawValue, created: invitation.createdAt.milliseconds,
            expires: invitation.expiresAt.milliseconds, uses: invitation.uses, maxUses: invitation.maxUses)
        self.code = code ?? invitation.shownCode
        self.link = link
        audience = invitation.audience?.description
        role = invitation.role?.rawValue
        admin = invitation.grantsAdmin
        noAddress = invitation.isWithoutAddress
        email = invitation.email?.description
        note = invitation.note
        by = invitation.maker?.description
        updated = invitation.updatedAt.milliseconds
    }
}
