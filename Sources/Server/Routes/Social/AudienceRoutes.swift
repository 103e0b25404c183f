import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
import Transport
package import Tree
import TreeModel

/// `/v1/audiences`: the audiences of posts, and their members.
package struct AudienceRoutes: Sendable {
    private static let maxBodyBytes = 1 << 20
    private static let example = #"{"name":"7b","kind":"class","members":{"maria":"owner","jan":"reader"}}"#

    private let audiences: Audiences
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ database: RealtimeDatabase) {
        audiences = Audiences(tree)
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint(
            "listAudiences", in: .audiences, "List your audiences, in the order of their ids",
            details: "An admin receives all audiences.",
            .page(of: "audiences", from: "after"), answers: [.json(AudiencePageDocument.self).withToken],
            errors: [.permissionDenied], run: list)
        routes.add("/v1/audiences", [.get: list])
        let id = Parameter.path("id", .userID)
        let errors: [ErrorCode] = [.permissionDenied, .notAllowed, .notMember, .notFound]
        let changed = AnswerDescription.json(AudienceDocument.self).withToken
        let made = AnswerDescription.json(AudienceDocument.self, .created).withToken
        let writeErrors =
            errors + .ofKeys
            + [.badText, .badAudience, .badUser, .blocked, .wrongState, .tooLarge, .unsupportedType]
        let show = Endpoint(
            "getAudience", in: .audiences, "Get an audience and its members", details: "For its members.", [id],
            answers: [.json(AudienceDocument.self)], errors: errors,
            run: show)
        let put = Endpoint(
            "putAudience", in: .audiences, "Create an audience, or replace its description",
            details: "Its creator becomes an owner.", [id, .idempotencyKey],
            body: ["application/json": .audience(required: ["name", "kind"])], answers: [changed, made],
            errors: writeErrors, run: put)
        let change = Endpoint(
            "updateAudience", in: .audiences, "Change the description of an audience, field by field",
            details: "For its owners.", [id, .idempotencyKey],
            body: ["application/json": .audience(required: [])], answers: [changed], errors: writeErrors, run: change)
        let remove = Endpoint(
            "deleteAudience", in: .audiences, "Delete an audience, and the posts that are for no other",
            details: "For its owners.", [id, .idempotencyKey],
            answers: [.json(AudienceDeletionDocument.self).withToken], errors: errors + .ofKeys, run: remove)
        routes.add("/v1/audiences/{id}", [.get: show, .put: put, .patch: change, .delete: remove])
        let member = [id, Parameter.path("uid", .userID), .idempotencyKey]
        let answer = AnswerDescription.json(AudienceMemberDocument.self).withToken
        let setMember = Endpoint(
            "putAudienceMember", in: .audiences, "Add a member to an audience, or change a member's role",
            details: "For its owners.", member,
            body: [
                "application/json": .object(["role": .one(of: AudienceRole.self)], required: ["role"]).named(
                    "MemberRole")
            ],
            answers: [answer], errors: writeErrors, run: setMember)
        let removeMember = Endpoint(
            "removeAudienceMember", in: .audiences, "Remove a member from an audience",
            details: "For its owners, and for the member.", member, answers: [answer],
            errors: errors + .ofKeys + [.wrongState], run: removeMember)
        routes.add("/v1/audiences/{id}/members/{uid}", [.put: setMember, .delete: removeMember])
    }

    // MARK: Reading

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let actor = try context.audienceActor
        let (cursor, limit) = (try context.query.pageCursor("after"), try context.query.pageLimit())
        let page = try await audiences.page(of: actor.uid, after: cursor, limit: limit)
        return .json(
            AudiencePageDocument(audiences: page.audiences.map { AudienceDocument($0) }, next: page.next?.string),
            at: page.token)
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.audience
        try await context.requireRead(AudienceNodes.audience(id), of: id, in: database)
        return .json(try await document(of: id, context))
    }

    private func document(of id: AudienceID, _ context: HTTPContext) async throws -> AudienceDocument {
        let uid = context.viewer
        guard let whole = try await audiences.audience(id, for: uid) else { throw Failure.noAudience(id) }
        var document = AudienceDocument(whole.audience)
        document.members = whole.members.mapValues(\.rawValue)
        document.memberTimes = whole.memberTimes.filter { whole.members[$0.key] != nil }.mapValues {
            TimesDocument(created: $0.created?.milliseconds, updated: $0.updated?.milliseconds)
        }
        return document
    }

    // MARK: Writing

    @Sendable private func put(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, actor) = (try context.audience, try context.audienceActor)
        let (change, key) = try await change(in: request, context)
        guard change.name != nil, change.kind != nil else {
            throw Failure(.badRequest, "the body has no name, or no kind", hint: "Write it as \(Self.example).")
        }
        let (isNew, token) = try await audiences.put(id, change, by: actor, as: key)
        if isNew == nil { try await context.requireRead(AudienceNodes.audience(id), of: id, in: database) }
        return .json(try await document(of: id, context), status: isNew == true ? .created : .ok, at: token)
    }

    @Sendable private func change(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, actor) = (try context.audience, try context.audienceActor)
        let (change, key) = try await change(in: request, context)
        let (isRepeated, token) = try await audiences.change(id, change, by: actor, as: key)
        if isRepeated { try await context.requireRead(AudienceNodes.audience(id), of: id, in: database) }
        return .json(try await document(of: id, context), at: token)
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.audience
        let token = try await audiences.remove(id, by: try context.audienceActor, as: try context.key(of: request))
        return .json(AudienceDeletionDocument(id: id.description), at: token)
    }

    @Sendable private func setMember(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, uid, actor) = (try context.audience, try context.user(), try context.audienceActor)
        let example = #"{"role":"reader"}"#
        let members = try await context.jsonMembers(["role"], of: request, upTo: 1024, example: example)
        guard let role = members["role"]?.string.flatMap({ AudienceRole(rawValue: $0) }) else {
            throw Failure(.badRequest, "role is not owner, poster or reader", hint: "Write it as \(example).")
        }
        let key = try context.key(of: request, with: members)
        return try await answer(
            uid, of: id, try await audiences.setMember(uid, to: role, of: id, by: actor, as: key), context)
    }

    @Sendable private func removeMember(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, uid, actor) = (try context.audience, try context.user(), try context.audienceActor)
        let key = try context.key(of: request)
        return try await answer(uid, of: id, try await audiences.removeMember(uid, of: id, by: actor, as: key), context)
    }

    /// Returns the response with the present role of a person in an audience. To the sender of a repeated request it is
    /// shown only if they may still read it, or it is their own.
    private func answer(
        _ uid: UserID, of id: AudienceID, _ outcome: Audiences.Outcome, _ context: HTTPContext
    ) async throws -> Response {
        if outcome.isRepeated, context.viewer != uid {
            try await context.requireRead(AudienceNodes.audience(id), of: id, in: database)
        }
        let member = try await audiences.membership(of: uid, in: id)
        var document = AudienceMemberDocument(
            audience: id.description, uid: uid.description, role: member?.role.rawValue)
        let times = member?.times
        (document.created, document.updated) = (times?.created?.milliseconds, times?.updated?.milliseconds)
        return .json(document, at: outcome.token)
    }

    // MARK: Requests

    /// Parses a body that describes an audience; also returns the key of the request, if it has one.
    private func change(
        in request: Request, _ context: HTTPContext
    ) async throws -> (change: Audiences.Change, key: RequestKey?) {
        let fields = try await context.jsonMembers(
            ["name", "kind", "members"], of: request, upTo: Self.maxBodyBytes, example: Self.example)
        var change = Audiences.Change()
        if let value = fields["name"] {
            guard let name = value.string.flatMap({ PostText.checked($0, maxCharacters: Audience.maxNameLength) }),
                !name.isEmpty, !name.contains(where: \.isNewline)
            else {
                throw Failure(
                    .badText, "the name is not a line of 1 to \(Audience.maxNameLength) characters",
                    hint: "Write it as \(Self.example).")
            }
            change.name = name
        }
        if let value = fields["kind"] {
            guard let kind = value.string.flatMap({ Audience.Kind(rawValue: $0) }) else {
                throw Failure(
                    .badRequest, "kind is not class, school, student or group", hint: "Write it as \(Self.example).")
            }
            change.kind = kind
        }
        change.members = try fields["members"].map(Self.members)
        return (change, try context.key(of: request, with: fields))
    }

    private static func members(_ value: JSONValue) throws(Failure) -> [UserID: AudienceRole] {
        guard case .object(let fields) = value else {
            throw Failure(.badRequest, "members is not an object", hint: "Write it as \(example).")
        }
        var members: [UserID: AudienceRole] = [:]
        for (key, value) in fields {
            guard let uid = UserID(key) else { throw Failure.noUserID(key) }
            guard let role = value.string.flatMap({ AudienceRole(rawValue: $0) }) else {
                throw Failure(
                    .badRequest, "the role of \(uid) is not owner, poster or reader", hint: "Write it as \(example).")
            }
            members[uid] = role
        }
        return members
    }
}

extension HTTPContext {
    /// The audience whose id is in the path.
    ///
    /// - Throws: `Failure` with the code `not_found` for a malformed id.
    var audience: AudienceID {
        get throws(Failure) {
            guard let id = AudienceID(parameters.get("id") ?? "") else {
                throw Failure(
                    .notFound, "the audience does not exist", hint: "Use an id of 1 to 128 of A–Z, a–z, 0–9, _ and -.")
            }
            return id
        }
    }

    /// The actor of an audience operation: an admin, or a user.
    ///
    /// - Throws: `Failure` with the code `permission_denied` for an unauthenticated request.
    var audienceActor: AudienceActor {
        get throws(Failure) { identity == .admin ? .admin : .user(try actor) }
    }

    /// Checks that the requester may read a path of an audience.
    ///
    /// - Throws: `Failure` with the code `permission_denied` for an unauthenticated requester, `not_member` for another
    ///   user.
    func requireRead(_ path: TreePath, of audience: AudienceID, in database: RealtimeDatabase) async throws {
        guard try await !mayRead(path, in: database) else { return }
        guard identity != .anonymous else {
            throw Failure.permissionDenied(hint: "Sign in, and send the token in Authorization.")
        }
        throw Failure.notMember(of: audience)
    }
}

extension Schema {
    /// Returns the schema of an audience's description.
    fileprivate static func audience(required: [String]) -> Schema {
        .object(
            [
                "name": .text(upTo: Audience.maxNameLength), "kind": .one(of: Audience.Kind.self),
                "members": .map(of: .one(of: AudienceRole.self), names: "^[-0-9A-Z_a-z]{1,128}$"),
            ], required: required
        ).named(required.isEmpty ? "AudienceChange" : "NewAudience")
    }
}

extension AudienceDocument {
    init(_ audience: Audience) {
        self.init(id: audience.id.description, name: audience.name, kind: audience.kind)
        role = audience.role?.rawValue
        (created, updated) = (audience.times.created?.milliseconds, audience.times.updated?.milliseconds)
    }
}
