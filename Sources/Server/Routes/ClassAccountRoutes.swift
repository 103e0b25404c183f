import API
package import Accounts
import Hummingbird
import Model
package import Requests
import Transport
import TreeModel

/// `/v1/audiences/{id}/accounts`: the accounts of people without an e-mail address, for the owners of their class.
package struct ClassAccountRoutes: Sendable {
    private static let example = #"{"picture":"fish"}"#

    private let accounts: ClassAccounts

    package init(_ accounts: IdentityService) { self.accounts = accounts.classAccounts }

    package func add(to routes: inout RouteTable) {
        let id = Parameter.path("id", .userID)
        let errors: [ErrorCode] = [.permissionDenied, .notAllowed, .badUser, .notFound]
        let list = Endpoint(
            "listClassAccounts", in: .accounts, "List the accounts of a class that have no e-mail address, by name",
            details: "For the owners of the class, and admins.", [id], answers: [.json(ClassAccountListDocument.self)],
            errors: errors, run: list)
        routes.add("/v1/audiences/{id}/accounts", [.get: list])
        let account = [id, Parameter.path("uid", .userID)]
        let answer = AnswerDescription.json(ClassAccountChangeDocument.self)
        let reset = Endpoint(
            "putClassAccountPicture", in: .accounts, "Set the picture of such an account, and end its sessions",
            details: "For the owners of the class, and admins.",
            account,
            body: [
                "application/json": .object(["picture": .one(of: ClassPicture.self)], required: ["picture"]).named(
                    "NewPicture")
            ],
            answers: [answer], errors: errors + [.unknownUser, .unsupportedType, .tooLarge], run: reset)
        let remove = Endpoint(
            "deleteClassAccount", in: .accounts, "Delete such an account; its posts stay",
            details: "For the owners of the class, and admins.", account,
            answers: [answer], errors: errors + [.unknownUser], run: remove)
        routes.add("/v1/audiences/{id}/accounts/{uid}", [.put: reset, .delete: remove])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, maker) = (try audience(context), try context.invitationMaker)
        let entries = try await answering { () throws(IdentityError) in try await accounts.list(of: id, for: maker) }
        return .json(
            ClassAccountListDocument(
                accounts: entries.map {
                    ClassAccountDocument(
                        uid: $0.uid, name: $0.name, created: $0.createdAt.milliseconds,
                        updated: $0.updatedAt.milliseconds, lastSignIn: $0.lastSignInAt?.milliseconds)
                }), headers: [.cacheControl: "no-store"])
    }

    @Sendable private func reset(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, uid, maker) = (try audience(context), try context.user(), try context.invitationMaker)
        let members = try await context.jsonMembers(["picture"], of: request, upTo: 1024, example: Self.example)
        guard let picture = members["picture"]?.string.flatMap({ ClassPicture(rawValue: $0) }) else {
            throw Failure(
                .badRequest, "picture is not the name of a picture",
                hint: "Use one of \(ClassPicture.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        try await answering { () throws(IdentityError) in
            try await accounts.setPicture(picture, of: uid, in: id, by: maker)
        }
        return .json(ClassAccountChangeDocument(uid: uid.description, deleted: false))
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, uid, maker) = (try audience(context), try context.user(), try context.invitationMaker)
        try await answering { () throws(IdentityError) in try await accounts.remove(uid, of: id, by: maker) }
        return .json(ClassAccountChangeDocument(uid: uid.description, deleted: true))
    }

    private func audience(_ context: HTTPContext) throws(Failure) -> AudienceID {
        try InvitationFields.audience(context.parameters.get("id") ?? "")
    }
}
