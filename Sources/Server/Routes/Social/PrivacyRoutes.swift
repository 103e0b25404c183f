import API
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Tree
import TreeModel

/// `/v1/people/{uid}/privacy`: a person's consents.
package struct PrivacyRoutes: Sendable {
    private static let maxBodyBytes = 4096
    private static let example = #"{"social":false}"#

    private let privacy: Privacy

    package init(_ tree: TreeStore) { privacy = Privacy(tree) }

    package func add(to routes: inout RouteTable) {
        let uid = Parameter.path("uid", .userID)
        let answer = AnswerDescription.json(PrivacyDocument.self).withToken
        let show = Endpoint(
            "getPrivacy", in: .people, "Get the consents of a person", details: "For that person or an admin.", [uid],
            answers: [answer],
            errors: [.permissionDenied, .notAllowed, .notFound], run: show)
        let fields = Dictionary(
            uniqueKeysWithValues: Privacy.Switch.allCases.map { ($0.rawValue, Schema.any(.flag, .null)) })
        let change = Endpoint(
            "updatePrivacy", in: .people, "Change a person's consents",
            details: "Missing fields stay. For that person or an admin.", [uid],
            body: ["application/json": .object(fields).named("PrivacyChange")], answers: [answer],
            errors: [.permissionDenied, .notAllowed, .notFound, .tooLarge, .unsupportedType], run: change)
        routes.add("/v1/people/{uid}/privacy", [.get: show, .patch: change])
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answer(try person(context))
    }

    @Sendable private func change(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try person(context)
        let names = Privacy.Switch.allCases.map(\.rawValue)
        let members = try await context.jsonMembers(
            names, of: request, upTo: Self.maxBodyBytes, example: Self.example)
        var changes: [Privacy.Switch: Bool] = [:]
        for (name, value) in members {
            guard let one = Privacy.Switch(rawValue: name), let isOn = value.bool else {
                throw Failure(.badRequest, "\(name) is neither true nor false", hint: "Write it as \(Self.example).")
            }
            changes[one] = isOn
        }
        try await privacy.change(uid, changes)
        return try await answer(uid)
    }

    private func person(_ context: HTTPContext) throws(Failure) -> UserID {
        let uid = try context.user()
        try context.require(uid, for: "see or change the consents of another user")
        return uid
    }

    private func answer(_ uid: UserID) async throws -> Response {
        guard let (document, token) = try await privacy.switches(of: uid) else { throw Failure.noSuchPerson }
        return .json(document, at: token)
    }
}
