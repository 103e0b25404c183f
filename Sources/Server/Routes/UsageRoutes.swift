import API
import Hummingbird
package import Keeping
import Model
package import Requests
import Transport
import TreeModel
package import Uploads

/// `/v1/usage`: the storage that people's files use.
package struct UsageRoutes: Sendable {
    private static let maxBodyBytes = 1024

    let reader: UsageReader
    let quotas: UserQuotas

    package init(reader: UsageReader, quotas: UserQuotas) {
        self.reader = reader
        self.quotas = quotas
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint.admin(
            for: "the list of storage usage",
            "listUsage", in: .operations, "List the storage that people's files use, by user",
            .page(of: "users", from: "after"), answers: [.json(UsagePageDocument.self)],
            errors: [.badRequest], run: list)
        routes.add("/v1/usage", [.get: list])
        let show = Endpoint(
            "getUsage", in: .operations, "Get the storage that a person's files use",
            details: "For that person or an admin.", [.path("uid", .userID)],
            answers: [.json(UsageDocument.self)], errors: [.permissionDenied, .notAllowed, .unknownUser], run: show)
        routes.add("/v1/usage/{uid}", [.get: show])
        let quota = Schema.object(["quota": .any(.integer(0...Int.max), .text)], required: ["quota"]).named(
            "QuotaChange")
        let limit = Endpoint.admin(
            for: "setting a quota",
            "putQuota", in: .operations, "Set the quota of a person",
            details: "In bytes: a number, `none`, or `default` for that of the settings.",
            [.path("uid", .userID)], body: ["application/json": quota], answers: [.json(UsageDocument.self)],
            errors: [.badRequest, .unknownUser, .unsupportedType], run: setQuota)
        routes.add("/v1/usage/{uid}/quota", [.put: limit])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let limit = try context.query.pageLimit()
        guard let text = context.query["after"] else { return .json(try await reader.page(after: nil, limit: limit)) }
        guard let last = UserID(text) else {
            throw Failure(.badRequest, "after is not a cursor", hint: "Use \"next\" of the page before.")
        }
        return .json(try await reader.page(after: last, limit: limit))
    }

    @Sendable private func setQuota(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let user = try context.user()
        let members = try await context.jsonMembers(
            ["quota"], of: request, upTo: Self.maxBodyBytes, example: #"{"quota": 5000000000}"#)
        let quota: UserQuota? =
            switch members["quota"] {
            case .integer(let bytes)? where bytes >= 0: .bytes(bytes)
            case .string(let text)?: UserQuota(text)
            default: nil
            }
        guard let quota else {
            throw Failure(
                .badRequest, "quota is not an amount",
                hint: "Use a number of bytes, an amount such as 5GB, none or default.")
        }
        // A person who does not exist has no quota.
        _ = try await reader.document(of: user)
        try await quotas.set(quota, for: user)
        return .json(try await reader.document(of: user))
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let user = try context.user()
        try context.require(user, for: "see the storage usage of another user")
        return .json(try await reader.document(of: user))
    }
}
