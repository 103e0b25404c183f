import Cryptography
import Foundation
import Synchronization
import TestSupport
import TreeModel

@testable import Access

/// An external OpenID Connect issuer, whose description and keys a loopback server serves.
final class Issuer: Sendable {
    let server: LoopbackServer
    private let keys: Mutex<[(id: String, key: SigningKey)]>

    init(at server: LoopbackServer) throws {
        self.server = server
        keys = Mutex([("first", try SigningKey())])
        serve()
    }

    /// The `iss` of the issuer's tokens.
    var name: String { server.origin + "/realm" }

    /// Returns the service's settings for the issuer.
    func settings(_ source: IssuerSettings.KeySource = .discovery) throws -> IssuerSettings {
        try .oidc(issuer: name, audiences: ["photos"], keySource: source, uidPrefix: "x-", provider: "oidc.test")
    }

    /// The number of requests for the issuer's keys.
    var fetchCount: Int { server.requests.count { $0.path == "/keys" } }

    /// Creates the key that signs from now on; the old ones are no longer served.
    func rotate(to id: String) throws {
        let key = try SigningKey()
        keys.withLock { $0 = [(id, key)] }
        serve()
    }

    /// Serves the documents of an issuer.
    func serve() {
        let (name, jwks) = (name, jwks)
        let description = #"{"issuer":"\#(name)","jwks_uri":"\#(server.origin)/keys"}"#
        server.behave { request in
            switch request.path {
            case "/realm/.well-known/openid-configuration": .init(200, description)
            case "/keys": .init(200, jwks, headers: [("Cache-Control", "max-age=600")])
            default: .init(404)
            }
        }
    }

    private var jwks: String {
        let keys = keys.withLock(\.self).compactMap { id, key -> JSONValue? in
            guard let (modulus, exponent) = key.publicNumbers else { return nil }
            return [
                "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256",
                "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
            ]
        }
        return String(decoding: JSONValue.object(["keys": .list(keys)]).text, as: UTF8.self)
    }

    /// Returns a token of the newest key that is valid for an hour, with some claims changed; null removes a claim.
    func token(_ changes: [String: JSONValue] = [:], keyID: String? = nil) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(name), "aud": "photos", "sub": "ann", "iat": .integer(now), "exp": .integer(now + 3600),
        ]
        claims.merge(changes) { $1 }
        claims = claims.filter { $0.value != .null }
        guard let (id, key) = keys.withLock({ $0.last }) else { throw NoKey() }
        return try WebToken.text(of: claims, keyID: keyID ?? id, signedBy: key)
    }

    struct NoKey: Error {}
}
