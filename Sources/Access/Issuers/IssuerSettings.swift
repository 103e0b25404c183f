package import Cryptography

/// Another issuer whose ID tokens are trusted.
package struct IssuerSettings: Sendable, Hashable {
    /// The source of the issuer's public keys: a JSON Web Key Set, or certificates in PEM by name.
    package enum KeySource: Sendable, Hashable {
        /// A file, which is read again when it changes.
        case file(path: String)
        /// An address.
        case url(String)
        /// The address in the issuer's discovery document (OpenID Connect Discovery 1.0 §4).
        case discovery
    }

    enum Kind: Sendable, Hashable {
        case firebase
        case oidc(uidClaim: String, uidPrefix: String, provider: String)
    }

    /// The `iss` of the tokens.
    package let issuer: String
    /// The accepted audiences; a token must have at least one of them.
    package let audiences: [String]
    package let keySource: KeySource
    /// The claims that rules see in addition to those that identify the user (``identityClaims``).
    let claims: Set<String>
    let kind: Kind

    /// The claims that identify the user, the sign-in and the audience (RFC 7519 §4.1, OpenID Connect Core 1.0 §2 and
    /// §5.1, Firebase's ID tokens).
    static let identityClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "azp", "nonce", "auth_time", "acr", "amr", "user_id",
        "firebase",
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
        "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
        "phone_number_verified", "address", "updated_at",
    ]

    private init(
        issuer: String, audiences: [String], keySource: KeySource, claims: Set<String>, kind: Kind
    ) throws(KeyError) {
        guard Self.isAllowed(url: issuer) else {
            throw KeyError("the name of an issuer is an https address, such as https://id.example.com")
        }
        guard !audiences.isEmpty, !audiences.contains("") else {
            throw KeyError("an issuer needs an audience that is not empty")
        }
        if case .url(let url) = keySource, !Self.isAllowed(url: url) {
            throw KeyError("keys must be read from https addresses or from files")
        }
        (self.issuer, self.audiences, self.keySource) = (issuer, audiences, keySource)
        (self.claims, self.kind) = (claims, kind)
    }

    /// Returns the settings of a Firebase project.
    ///
    /// - Parameters:
    ///   - keySource: The source of the keys; nil for Google's address.
    ///   - claims: The claims that rules see in addition to those that identify the user.
    /// - Throws: ``KeyError`` for an address that is not allowed.
    package static func firebase(
        project: String, keySource: KeySource? = nil, claims: Set<String> = []
    ) throws(KeyError) -> IssuerSettings {
        guard Self.isProject(project) else {
            throw KeyError("\"\(project)\" is not the id of a Firebase project, such as friendlypix-4fa62")
        }
        return try IssuerSettings(
            issuer: TokenAuthority.issuer(of: project), audiences: [project],
            keySource: keySource ?? .url(Self.googleKeys), claims: claims, kind: .firebase)
    }

    /// Returns the settings of an OpenID Connect issuer.
    ///
    /// - Parameters:
    ///   - uidClaim: The claim that identifies the user.
    ///   - uidPrefix: The prefix of the user's id in the service, so that users of different issuers are not confused.
    ///   - provider: The provider that rules see.
    ///   - claims: The claims that rules see in addition to those that identify the user.
    /// - Throws: ``KeyError`` for an address that is not allowed.
    package static func oidc(
        issuer: String, audiences: [String], keySource: KeySource = .discovery, uidClaim: String = "sub",
        uidPrefix: String = "", provider: String = "oidc", claims: Set<String> = []
    ) throws(KeyError) -> IssuerSettings {
        guard !uidClaim.isEmpty, uidPrefix.utf8.count <= 64, TokenSubject.key(for: uidPrefix) == uidPrefix else {
            throw KeyError(
                "a uid-claim is the name of a claim, and a uid-prefix has at most 64 bytes without . $ # [ ] / %")
        }
        guard Self.isProvider(provider) else {
            throw KeyError("\"\(provider)\" is not the name of a provider such as google.com or oidc.company")
        }
        return try IssuerSettings(
            issuer: issuer, audiences: audiences, keySource: keySource, claims: claims,
            kind: .oidc(uidClaim: uidClaim, uidPrefix: uidPrefix, provider: provider))
    }

    /// The provider that rules see, and that apps name at a sign-in with a token; nil for Firebase, whose tokens
    /// contain it.
    package var provider: String? { if case .oidc(_, _, let provider) = kind { provider } else { nil } }

    private static let googleKeys =
        "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"

    private static func isProject(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    /// Whether a text may be the name of a provider: the names that rules use for other kinds of sign-in are reserved.
    private static func isProvider(_ text: String) -> Bool {
        let others = ["password", "anonymous", "custom", "phone", "emaillink", "passkey", "firebase"]
        return (1...100).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte) && !others.contains(text)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The address of the issuer's discovery document.
    var discoveryURL: String {
        (issuer.last == "/" ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Whether a response from an address is protected from changes on the way: the address is https, or on this
    /// machine.
    package static func isAllowed(url: String) -> Bool {
        guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        if url.hasPrefix("https://") { return url.utf8.count > 8 }
        let hosts = ["localhost", "127.0.0.1", "[::1]"]
        return hosts.contains { host in
            let start = "http://" + host
            return url == start || url.hasPrefix(start + "/") || url.hasPrefix(start + ":") && !url.contains("@")
        }
    }
}
