import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The identity endpoints of a service, which have the form of Firebase's.
struct IdentityEndpoints: Sendable {
    private static let toolkit = "/identitytoolkit.googleapis.com/v1/accounts:"
    private static let newerToolkit = "/identitytoolkit.googleapis.com/v2/accounts/"
    /// The key of the project, which may be any text.
    private static let key = "?key=tintype"

    let service: URL
    let transport: any Transport

    /// Requests an operation, such as `signUp`, or one of the newer ones, such as `passkeySignIn:start`. Fields that are nil
    /// are left out.
    ///
    /// - Throws: `Problem` with the code of the endpoint, such as `EMAIL_EXISTS`; `TransportError`.
    func call(_ operation: String, _ fields: [String: JSONValue?]) async throws -> JSONValue {
        let body = try JSONEncoder().encode(JSONValue.object(fields.compactMapValues(\.self)))
        let path = (operation.contains(":") ? Self.newerToolkit : Self.toolkit) + operation
        return try await answer(path, body, type: "application/json")
    }

    /// Exchanges a refresh token.
    ///
    /// - Parameter key: The key by which the service recognises a repetition; nil for none.
    /// - Throws: `Problem` with the code of the endpoint, such as `TOKEN_EXPIRED`; `TransportError`.
    func refresh(_ token: Secret, key: Secret?) async throws -> TokenGrant {
        let form = PercentEncoding.form(["grant_type": "refresh_token", "refresh_token": token.text])
        return try TokenGrant(
            try await answer(
                "/securetoken.googleapis.com/v1/token", Data(form.utf8), type: "application/x-www-form-urlencoded",
                key: key))
    }

    private func answer(_ path: String, _ body: Data, type: String, key: Secret? = nil) async throws -> JSONValue {
        var base = service.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base + path + Self.key), url.host?.isEmpty == false else {
            throw TransportError(.unreachable, "\(service) is not the address of a service")
        }
        var request = TransportRequest("POST", url, headers: ["Content-Type": type], body: .data(body))
        request.headers["Idempotency-Key"] = key?.text
        let response = try await transport.response(to: request)
        guard response.status == 200 else {
            throw Problem(
                status: response.status, body: response.body, retryAfter: response.headers["Retry-After"])
        }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: response.body), value.object != nil else {
            throw TransportError(.malformed, "the answer is not a JSON object")
        }
        return value
    }
}
