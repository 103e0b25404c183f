import API
package import Access
package import Accounts
package import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import Requests
import Transport
import TreeModel

/// The identity endpoints that Firebase's SDKs and firebase-admin call, and the keys with which others verify the
/// issued tokens.
package struct IdentityResponder: HTTPResponder {
    /// The longest body of an app's request, and of an administrator's import of accounts, in bytes.
    private static let maxBytes = 256 << 10
    private static let maxAdminBytes = 8 << 20
    private static let keysPath = "/.well-known/jwks.json"
    private static let discoveryPath = "/.well-known/openid-configuration"

    let accounts: IdentityService
    let authority: TokenAuthority
    let isEmulator: Bool
    /// The public address of the service; nil if it has none.
    let publicURL: PublicURL?

    private let metrics: IdentityMetrics

    package init(
        accounts: IdentityService, authority: TokenAuthority, isEmulator: Bool, publicURL: PublicURL?,
        metrics: any MetricsFactory
    ) {
        self.metrics = IdentityMetrics(metrics)
        self.accounts = accounts
        self.authority = authority
        self.isEmulator = isEmulator
        self.publicURL = publicURL
    }

    /// Whether a request is for these endpoints.
    package static func isFor(_ path: some StringProtocol) -> Bool {
        IdentityAddress.isOne(path) || path == keysPath || path == discoveryPath
    }

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        let path = request.uri.path
        if request.method == .options { return Response(status: .noContent) }
        if request.method == .get || request.method == .head, path == Self.keysPath {
            return answer(authority.jwks, maxAge: KeyRing.cacheSeconds)
        }
        if request.method == .get || request.method == .head, path == Self.discoveryPath {
            return answer(discovery(request), maxAge: KeyRing.cacheSeconds)
        }
        guard let address = IdentityAddress(request.method, path) else {
            throw IdentityError("NOT_FOUND", status: 404)
        }
        if let project = address.project, project != authority.project, !isEmulator {
            throw IdentityError("PROJECT_NOT_FOUND", status: 404)
        }
        let caller = IdentityCaller(
            isAdmin: context.identity == .admin,
            address: LimitedClient.networkText(of: context.client.address(of: request.head)),
            authority: request.head.authority)
        // Paths below a project are for administrators, apart from those of emulators.
        guard address.project == nil || caller.isAdmin || IdentityAddress.isOfEmulator(path) else {
            throw IdentityError("INSUFFICIENT_PERMISSION", status: 403)
        }
        let body = try await body(of: context.asking(request), address, caller)
        do {
            return answer(
                try await accounts.perform(
                    address.operation, body, by: caller, idempotencyKey: request.headers[.idempotencyKey]))
        } catch {
            metrics.count(error)
            throw error
        }
    }

    private func body(
        of request: Request, _ address: IdentityAddress, _ caller: IdentityCaller
    ) async throws -> JSONValue {
        if address.isQuery { return try fields(request.uri.query ?? "") }
        let bytes = try await request.body.collect(upTo: caller.isAdmin ? Self.maxAdminBytes : Self.maxBytes)
        guard bytes.readableBytes > 0 else { return [:] }
        if HeaderParameters(request.headers[.contentType] ?? "").value == "application/x-www-form-urlencoded" {
            return try fields(String(buffer: bytes))
        }
        guard let body = JSONValue(text: bytes.readableBytesView) else {
            throw IdentityError("INVALID_ARGUMENT : the body is no JSON")
        }
        return body
    }

    private func fields(_ text: String) throws(IdentityError) -> JSONValue {
        guard let fields = IdentityForm.object(text) else {
            throw IdentityError("INVALID_ARGUMENT : the fields cannot be read")
        }
        return fields
    }

    /// Returns the document of OpenID Connect Discovery 1.0 §3, as far as it concerns the verification of tokens.
    private func discovery(_ request: Request) -> JSONValue {
        let scheme = ClientConnection.current?.isEncrypted == true ? "https" : "http"
        let origin = publicURL?.origin ?? "\(scheme)://\(request.head.authority ?? "localhost")"
        return [
            "issuer": .string(authority.issuer), "jwks_uri": .string(origin + Self.keysPath),
            "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
    }

    private func answer(_ json: JSONValue, maxAge: Int? = nil) -> Response {
        var headers: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        headers[.cacheControl] = maxAge.map { "public, max-age=\($0)" } ?? "no-store"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.text)))
    }
}

extension ErrorRenderer {
    /// The errors of the identity endpoints. A fault of the service is not reported as JSON: the JavaScript SDK, when
    /// it starts, signs its user out on every error in JSON.
    package static let identity = ErrorRenderer(
        answer: { error, _ in
            let problem = error as? IdentityError ?? IdentityError(otherError: error)
            var headers: HTTPFields = [.cacheControl: "no-store"]
            headers[.retryAfter] = problem.retryAfterSeconds.map { "\($0)" }
            let status = HTTPResponse.Status(code: problem.status)
            guard let document = problem.document else {
                headers[.contentType] = "text/plain; charset=utf-8"
                return Response(
                    status: status, headers: headers,
                    body: ResponseBody(byteBuffer: ByteBuffer(string: "\(problem.message)\n")))
            }
            headers[.contentType] = "application/json; charset=utf-8"
            return Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.text)))
        }, level: .info)
}

extension IdentityError {
    /// Creates the error for a refusal by the server itself, in the form of these endpoints.
    fileprivate init(otherError error: any Error) {
        let problem = Problem(error)
        self.init(
            problem.failure.code.rawValue.uppercased() + " : " + problem.failure.message, status: problem.status.code,
            retryAfterSeconds: problem.failure.retryAfter)
    }
}
