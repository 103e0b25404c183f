import Cryptography
import TreeModel

/// A JSON Web Token in its compact form (RFC 7519, RFC 7515 §7.1), parsed but not verified.
///
/// Parsing is strict: one spelling of base64url, no duplicate members of an object, at most ``maxBytes``.
struct WebToken: Sendable {
    /// The longest token that is parsed, in bytes; it is also the limit on the header fields of a request.
    static let maxBytes = 16 << 10

    /// The algorithm that the header names.
    let algorithm: String
    /// The name of the key that the header names; nil if it is missing.
    let keyID: String?
    /// The claims, by name.
    let claims: [String: JSONValue]
    /// The bytes that the signature covers: the first two parts, and the dot between them.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    /// Parses a token.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    init(_ text: String) throws(AccessError) {
        guard text.utf8.count <= Self.maxBytes else { throw .badToken(.tooLong) }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .badToken(.malformed) }
        guard let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .badToken(.malformed) }
        guard let header = JSONValue(text: header)?.members, let claims = JSONValue(text: payload)?.members else {
            throw .badToken(.invalidJSON)
        }
        guard header["crit"] == nil else { throw .badToken(.criticalHeader) }
        // The type shows a token for another purpose (RFC 8725 §3.11).
        if let type = header["typ"], type.string?.lowercased() != "jwt" { throw .badToken(.badType) }
        guard let algorithm = header["alg"]?.string else { throw .badToken(.badAlgorithm) }
        keyID = try Self.keyID(in: header)
        self.algorithm = algorithm
        self.claims = claims
        self.signature = signature
        signedBytes = Array(bytes[..<parts[1].endIndex])
    }

    private static func keyID(in header: [String: JSONValue]) throws(AccessError) -> String? {
        guard let member = header["kid"] else { return nil }
        guard let keyID = member.string else { throw .badToken(.unknownKey) }
        return keyID
    }

    /// Checks that a key signed the token.
    ///
    /// - Throws: ``AccessError`` with the case `badToken`.
    func check(signedBy key: VerificationKey) throws(AccessError) {
        // The key determines the algorithm; the token may not name another one (RFC 8725 §3.1).
        guard algorithm == key.algorithm.rawValue else { throw .badToken(.badAlgorithm) }
        guard key.isSignature(signature, of: signedBytes) else { throw .badToken(.badSignature) }
    }

    /// Returns the text of a token with these claims, signed by an RSA key.
    static func text(
        of claims: [String: JSONValue], keyID: String, signedBy key: SigningKey
    ) throws(KeyError) -> String {
        let header: JSONValue = ["alg": "RS256", "kid": .string(keyID), "typ": "JWT"]
        let signed = Base64URL.encode(header.text) + "." + Base64URL.encode(JSONValue.object(claims).text)
        return signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8)))
    }
}
