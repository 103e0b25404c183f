import Access
import Cryptography
import Foundation
import TreeModel

/// The credential of an identity with another provider, and the identity that it proves.
struct ProviderCredential: Sendable {
    let identity: FederatedIdentity
    /// The address that the provider reports, verified or not.
    let email: EmailAddress?
    let isEmailVerified: Bool
    /// The token that proved the identity.
    let idToken: String
    /// The token that the app may use with the provider; the service does not use it.
    let accessToken: String?
    private let claims: [String: JSONValue]

    /// Reads and verifies the credential of a request.
    ///
    /// - Throws: `INVALID_CREDENTIAL_OR_PROVIDER_ID`, `OPERATION_NOT_ALLOWED` for a provider that is not trusted,
    ///   `INVALID_IDP_RESPONSE` or `MISSING_OR_INVALID_NONCE`.
    init(in request: IdentityRequest, _ parts: IdentityParts) async throws(IdentityError) {
        let fields = try Self.fields(of: request)
        guard let provider = fields["providerId"]?.lowercased(),
            (1...FederatedIdentity.maxBytes).contains(provider.utf8.count)
        else { throw IdentityError("INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential") }
        guard let token = fields["id_token"], !token.isEmpty else {
            throw IdentityError("INVALID_IDP_RESPONSE : An id_token is required")
        }
        let claims = try await Self.claims(of: token, provider: provider, parts)
        guard let id = claims["sub"]?.string, (1...FederatedIdentity.maxBytes).contains(id.utf8.count) else {
            throw IdentityError("INVALID_IDP_RESPONSE : The id_token has no sub")
        }
        if !parts.settings.isEmulator { try Self.checkNonce(fields["nonce"], in: claims) }
        let profile = try RequestedProfile(
            in: IdentityRequest(
                body: ["displayName": claims["name"] ?? .null, "photoUrl": claims["picture"] ?? .null],
                caller: request.caller))
        email = claims["email"]?.string.flatMap(EmailAddress.init)
        isEmailVerified = email != nil && (claims["email_verified"] == true || claims["email_verified"] == "true")
        identity = FederatedIdentity(
            provider: provider, rawID: id, email: email?.description, displayName: profile.displayName,
            photoURL: profile.photoURL)
        idToken = token
        accessToken = fields["access_token"]
        self.claims = claims
    }

    /// Returns the fields of the credential: from a form in `postBody`, or from the query of the page that the provider
    /// redirected to.
    private static func fields(of request: IdentityRequest) throws(IdentityError) -> [String: String] {
        let body = try request.string("postBody", maxBytes: IdentityForm.maxBytes) ?? ""
        let uri = try request.string("requestUri", maxBytes: IdentityForm.maxBytes)
        let query = uri.flatMap { URLComponents(string: $0)?.percentEncodedQuery } ?? ""
        guard let fields = IdentityForm.parse(body), let others = IdentityForm.parse(query) else {
            throw .invalidValue("postBody")
        }
        return others.merging(fields) { $1 }
    }

    /// Verifies a provider's token and returns its claims.
    private static func claims(
        of token: String, provider: String, _ parts: IdentityParts
    ) async throws(IdentityError) -> [String: JSONValue] {
        guard !parts.settings.isEmulator else {
            guard let claims = UnverifiedToken.claims(token) else {
                throw IdentityError("INVALID_IDP_RESPONSE : Unable to parse id_token")
            }
            return claims
        }
        guard let verify = parts.proofs.provider(provider) else { throw .operationNotAllowed }
        do throws(AccessError) {
            return try await verify(token)
        } catch {
            throw IdentityError("INVALID_IDP_RESPONSE : \(error.reason)")
        }
    }

    /// Checks that a token was issued for this request: it contains the nonce, or its SHA-256 in hexadecimal digits.
    private static func checkNonce(_ nonce: String?, in claims: [String: JSONValue]) throws(IdentityError) {
        guard let expected = claims["nonce"] else { return }
        let digest = nonce.map { Hex.encode(Digest.sha256($0)) }
        guard let nonce, let digest, expected == .string(nonce) || expected == .string(digest) else {
            throw IdentityError("MISSING_OR_INVALID_NONCE : The nonce is not that of the id_token")
        }
    }

    /// The members of a response that describe the credential.
    var members: [String: JSONValue] {
        let federatedID =
            identity.provider == "google.com"
            ? "https://accounts.google.com/\(identity.rawID)" : "\(identity.provider)/\(identity.rawID)"
        var members: [String: JSONValue] = [
            "kind": "identitytoolkit#VerifyAssertionResponse", "federatedId": .string(federatedID),
            "providerId": .string(identity.provider), "emailVerified": .bool(isEmailVerified),
            "rawUserInfo": .string(String(decoding: JSONValue.object(claims).text, as: UTF8.self)),
            "oauthIdToken": .string(idToken),
        ]
        members["email"] = email.map { .string($0.description) }
        members["displayName"] = identity.displayName.map(JSONValue.string)
        members["fullName"] = identity.displayName.map(JSONValue.string)
        members["photoUrl"] = identity.photoURL.map(JSONValue.string)
        members["oauthAccessToken"] = accessToken.map(JSONValue.string)
        return members
    }
}
