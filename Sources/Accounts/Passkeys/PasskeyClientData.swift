import Access
import Cryptography
import TreeModel

/// The statement of the app or the browser about a ceremony with a passkey (WebAuthn §5.8.1).
struct PasskeyClientData: Sendable {
    /// The ceremonies, by their names in statements.
    enum Ceremony: String, Sendable {
        case enrollment = "webauthn.create"
        case signIn = "webauthn.get"
    }

    /// The challenge that was answered.
    let challenge: [UInt8]
    /// The SHA-256 of the statement, which the authenticator's signature covers.
    let hash: [UInt8]

    /// Reads a statement, and checks that it is for a ceremony at a site.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    init(_ bytes: [UInt8], of ceremony: Ceremony, at site: PasskeySite) throws(IdentityError) {
        guard let json = JSONValue(text: bytes), json.members != nil,
            let challenge = json["challenge"]?.string.flatMap({ Base64URL.decode($0.utf8) })
        else { throw .badPasskey("clientDataJSON cannot be read") }
        guard json["type"]?.string == ceremony.rawValue else { throw .badPasskey("it is for another purpose") }
        guard let origin = json["origin"]?.string, site.isOrigin(origin) else {
            throw .badPasskey("it is from another origin")
        }
        guard json["crossOrigin"].map({ $0 == false }) ?? true else {
            throw .badPasskey("it is from a frame in a page of another origin")
        }
        self.challenge = challenge
        hash = Digest.sha256(bytes)
    }
}
