import Cryptography
import Foundation
import Synchronization
import TestSupport
import TreeModel

@testable import Access

/// An issuer elsewhere after OpenID Connect, whose description and keys a loopback server serves.
final class Issuer: Sendable {
    let server: LoopbackServer
    private let keys: Mutex<[(id: String, key: SigningKey)]>

    init(at server: LoopbackServer) throws {
        self.server = server
        keys = Mutex([("first", try SigningKey())])
        serve()
    }

    /// The `iss` of its tokens.
    var name: String { server.origin + "/realm" }

    /// What the service is told of it.
    func settings(_ source: IssuerSettings.KeySource = .discovery) throws -> IssuerSettings {
        try .oidc(issuer: name, audiences: ["photos"], keySource: source, uidPrefix: "x-", provider: "oidc.test")
    }

    /// How often its keys were asked for.
    var fetchCount: Int { server.requests.count { $0.path == "/keys" } }

    /// Makes a key that signs from now on; the old ones are served no more.
    func rotate(to id: String) throws {
        let key = try SigningKey()
        keys.withLock { $0 = [(id, key)] }
        serve()
    }

    /// Answers as an issuer does.
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

    /// A token of the newest key that is good for an hour, with some claims otherwise; null takes one away.
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
