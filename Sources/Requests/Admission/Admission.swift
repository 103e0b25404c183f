package import API
package import Access
package import HTTPTypes
import HummingbirdCore
package import Transport

/// The only part that admits requests and streams: it determines the identity that they act as.
package struct Admission: Sendable {
    package let access: AccessControl
    package let limiter: ClientLimiter
    /// The list of open streams and sessions.
    package let open: OpenStreams

    package init(access: AccessControl, limiter: ClientLimiter, open: OpenStreams) {
        self.access = access
        self.limiter = limiter
        self.open = open
    }

    /// Authenticates a request.
    ///
    /// - Throws: `Failure` with the code `permission_denied` or `bad_token` for a request that is not admitted.
    package func proof(of request: HTTPRequest, from client: ClientConnection) throws(Failure) -> Proof {
        do throws(AccessError) {
            return try access.proof(for: Credentials(of: request, from: client))
        } catch {
            throw Failure(error)
        }
    }

    /// Authenticates a request; an unknown key of another issuer is fetched.
    ///
    /// - Throws: See ``proof(of:from:)``.
    package func proofWaiting(of request: HTTPRequest, from client: ClientConnection) async throws(Failure) -> Proof {
        do throws(AccessError) {
            return try access.proof(for: Credentials(of: request, from: client))
        } catch {
            guard await access.refreshKeys(after: error) else { throw Failure(error) }
            return try proof(of: request, from: client)
        }
    }

    /// Returns the client that a request counts for; nil for a client without limits.
    package func limitedClient(_ proof: Proof, _ request: HTTPRequest, from client: ClientConnection) -> LimitedClient?
    {
        if case .admin = proof.identity { return nil }
        guard !client.isLocal else { return nil }
        if let uid = proof.identity.uid { return .user(uid) }
        return client.isOnThisMachine(sending: request) ? nil : LimitedClient(address: client.address(of: request))
    }
}

extension Credentials {
    /// Extracts the credentials of a request.
    package init(of request: HTTPRequest, from client: ClientConnection) {
        let query = CredentialFields(query: URI(request.path ?? "").query)
        // The Unix socket is proof enough; an emulator's client adds nothing by its credentials.
        let token = Self.bearerToken(request.headerFields) ?? query.accessToken ?? query.auth
        self.init(
            peer: client.accessPeer(sending: request), token: client.isLocal && token == "owner" ? nil : token,
            override: query.authOverride, actingFor: query.actingFor, isFromForeignPage: request.isFromForeignPage)
    }

    /// Returns the token of `Authorization`: `Bearer` (RFC 6750), or `Firebase`, as clients of its storage send it.
    private static func bearerToken(_ headers: HTTPFields) -> String? {
        guard let value = headers[.authorization], let space = value.firstIndex(of: " "),
            ["bearer", "firebase"].contains(value[..<space].lowercased())
        else { return nil }
        return String(value[value.index(after: space)...])
    }
}

extension ClientConnection {
    fileprivate func accessPeer(sending request: HTTPRequest) -> Credentials.Peer {
        guard case .process(let process) = peer else { return .network(address: address(of: request)) }
        return process.map { .local($0) } ?? .network(address: "")
    }
}

/// The parameters of an address that carry credentials. Fields that cannot be decoded are ignored.
private struct CredentialFields {
    private(set) var accessToken: String?
    private(set) var auth: String?
    private(set) var authOverride: String?
    private(set) var actingFor: String?

    init(query: String?) {
        guard let query, query.utf8.contains(UInt8(ascii: "a")) else { return }
        for field in URLEncodedFields(query) where field.encodedValue != nil {
            switch field.encodedName {
            case "access_token": accessToken = field.value
            case "auth": auth = field.value
            case "auth_variable_override": authOverride = field.value
            case "as": actingFor = field.value
            default: break
            }
        }
    }
}

extension Failure {
    /// Creates the refusal of a request, in the words that clients of Realtime Databases expect.
    package init(_ error: AccessError) {
        let code: ErrorCode =
            switch error {
            case .denied: .permissionDenied
            case .badOverride: .badRequest
            case .badToken, .expired, .revoked, .unknownKey: .badToken
            }
        self.init(code, error.text, reason: error.reason)
    }
}
