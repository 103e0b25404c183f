import API
import Access
package import Accounts
import Foundation
import HTTPTypes
import Hummingbird
package import Requests
import Transport
import TreeModel

/// `/v1/users/{uid}/token`: tokens for any user, for scripts, tests and servers that vouch for their users. All other
/// account operations are identity endpoints.
package struct AccountRoutes: Sendable {
    /// The longest body, in bytes.
    private static let maxBytes = 16 << 10

    let accounts: IdentityService

    package init(accounts: IdentityService) {
        self.accounts = accounts
    }

    package func add(to routes: inout RouteTable) {
        let issue = Endpoint.admin(
            for: "issuing tokens", isProven: true,
            "createToken", in: .accounts, "Issue an ID token of an account, or a custom token",
            [
                .path("uid", .text(upTo: Account.maxIDLength)),
                .query("lifetime", .integer(1...KeyRing.maxLifetimeSeconds), "the lifetime of an ID token, in seconds"),
                .query("claims", .text(upTo: CustomClaims.maxLength), "a JSON object with additional claims"),
                .query("custom", .flag, "whether to issue a custom token, with which an app signs in"),
            ],
            body: [
                "application/json": .object([
                    "lifetime": .integer(1...KeyRing.maxLifetimeSeconds),
                    "claims": .object([:], isOpen: true).named("TokenClaims"), "custom": .flag,
                ]).named("TokenRequest")
            ], needsBody: false,
            answers: [.json(IssuedTokenDocument.self, .created)],
            errors: [.unknownUser, .badUser, .wrongState, .unsupportedType], run: issue)
        routes.add("/v1/users/{uid}/token", [.post: issue])
    }

    @Sendable private func issue(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let name = Substring(context.parameters.get("uid") ?? "")
        guard let uid = PercentEncoding.decode(name.utf8) else {
            throw Failure(.badUser, "\"\(name.prefix(80))\" is not percent-encoded UTF-8")
        }
        var body: JSONValue = ["localId": .string(uid), "custom": .bool(try context.query.flag("custom"))]
        if let text = context.query["claims"] {
            guard let claims = JSONValue(text: text.utf8) else {
                throw Failure(identityMessage: "INVALID_CLAIMS", status: 400)
            }
            body["claims"] = claims
        }
        body["lifetimeSeconds"] = context.query["lifetime"].map(JSONValue.string)
        for (name, value) in try await members(of: request, context) {
            body[name == "lifetime" ? "lifetimeSeconds" : name] = value
        }
        do throws(IdentityError) {
            let caller = IdentityCaller(isAdmin: true, address: context.client.address(of: request.head))
            let answer = try await accounts.perform(.issueToken, body, by: caller)
            let expires = Date().addingTimeInterval(Double(answer["expiresIn"]?.integer ?? 0))
            let document = IssuedTokenDocument(
                token: answer["token"]?.string ?? "", expires: Int64(expires.timeIntervalSince1970 * 1000))
            return .json(document, status: .created, headers: [.cacheControl: "no-store"])
        } catch {
            throw Failure(error)
        }
    }

    /// Returns the members of the body, if there is one: they are fields of the query, and none may be given twice.
    private func members(of request: Request, _ context: HTTPContext) async throws -> [String: JSONValue] {
        guard request.bringsBytes else { return [:] }
        let members = try await context.jsonMembers(
            ["lifetime", "claims", "custom"], of: request, upTo: Self.maxBytes, example: #"{"claims": {"admin": true}}"#
        )
        if let name = members.keys.first(where: { context.query[$0] != nil }) {
            throw Failure(.badRequest, "\(name) is given twice", hint: "Give it in the query or in the body.")
        }
        return members
    }
}

extension Failure {
    /// Converts an error about accounts to a failure of the photo API.
    init(_ error: IdentityError) {
        self.init(identityMessage: error.message, status: error.status, retryAfter: error.retryAfterSeconds)
    }
}
