import Cryptography
import TreeModel

/// Bytes in the JSON of requests.
enum PasskeyText {
    /// Decodes Base64 or base64url, with padding or without; nil for anything else.
    static func bytes(_ text: String) -> [UInt8]? {
        var characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        if characters.count % 4 == 0 {
            for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        return Base64URL.decode(characters)
    }
}

/// The response of an authenticator in a request: the id of the credential, and further fields.
struct PasskeyResponse: Sendable {
    /// The longest field, in bytes. Statements with certificates, which are ignored, have some thousand bytes.
    private static let maxBytes = 32 << 10

    /// The id of the credential, in base64url.
    let id: String
    private let fields: JSONValue

    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE` also for a missing field, as Firebase does.
    init(_ name: String, of request: IdentityRequest) throws(IdentityError) {
        guard let id = request.body[name]?["id"]?.string.flatMap(Passkey.id(sent:)),
            let fields = request.body[name]?["response"], fields.members != nil
        else { throw .badPasskey("\(name) cannot be read") }
        (self.id, self.fields) = (id, fields)
    }

    /// Returns the bytes of a field; nil when it is absent or empty.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    func optional(_ name: String) throws(IdentityError) -> [UInt8]? {
        guard let field = fields[name], field != .null, field != "" else { return nil }
        guard let text = field.string, text.utf8.count <= Self.maxBytes, let bytes = PasskeyText.bytes(text) else {
            throw .badPasskey("\(name) cannot be read")
        }
        return bytes
    }

    /// Returns the bytes of a required field.
    ///
    /// - Throws: `INVALID_AUTHENTICATOR_RESPONSE`.
    func bytes(_ name: String) throws(IdentityError) -> [UInt8] {
        guard let bytes = try optional(name) else { throw .badPasskey("\(name) is missing") }
        return bytes
    }
}

extension IdentityError {
    static let passkeyNotFound = IdentityError("PASSKEY_ENROLLMENT_NOT_FOUND")
    static let passkeyExists = badPasskey("the passkey has been added already")

    /// Returns the error for a response of an authenticator.
    ///
    /// - Parameter detail: The reason, for developers.
    static func badPasskey(_ detail: String, reason: String? = nil) -> IdentityError {
        IdentityError("INVALID_AUTHENTICATOR_RESPONSE : \(detail)", reason: reason)
    }
}
