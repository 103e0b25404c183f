import CSystemCrypto
import Foundation
package import TreeModel

/// An authenticator for passkeys, with one key in memory. A test changes its statements before it signs them.
///
/// `@unchecked Sendable`: the key is not changed, and each signature has a context of its own.
package final class SoftwareAuthenticator: @unchecked Sendable {
    package struct Failure: Error {}

    /// A statement about a ceremony.
    package struct Statement: Sendable {
        package var type: String
        package var challenge: String
        package var site = "photos.example"
        package var origin = "https://photos.example"
        /// The member `crossOrigin` as JSON; nil for none.
        package var crossOrigin: String?
        /// The flags: present and verified, and for a new passkey that there is a credential.
        package var flags: UInt8
        package var counter: UInt32 = 0
        package var extensions: [UInt8] = []
        /// The algorithm and the curve of the key, as COSE numbers them.
        package var algorithm: [UInt8] = [0x26]
        /// The point of the key, in place of the right one.
        package var point: [UInt8]?
        package var format = "none"
        /// The statement of the attestation, in CBOR.
        package var certificates: [UInt8] = [0xA0]
        /// The id of the account, in Base64; nil for none.
        package var userHandle: String?

        /// - Parameter challenge: The challenge in plain Base64, as the service sends it.
        package static func creation(_ challenge: String) -> Statement {
            Statement(type: "webauthn.create", challenge: challenge, flags: 0x45)
        }

        /// - Parameter challenge: The challenge in plain Base64, as the service sends it.
        package static func assertion(_ challenge: String, counter: UInt32 = 0) -> Statement {
            Statement(type: "webauthn.get", challenge: challenge, flags: 0x05, counter: counter)
        }

        fileprivate var clientData: [UInt8] {
            let text = challenge.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            let cross = crossOrigin.map { #","crossOrigin":\#($0)"# } ?? ""
            return Array(#"{"type":"\#(type)","challenge":"\#(text)","origin":"\#(origin)"\#(cross)}"#.utf8)
        }
    }

    /// The id of the passkey.
    package let id: [UInt8]
    private let key: OpaquePointer

    /// Makes a key.
    package init(id: [UInt8] = (0..<20).map { _ in .random(in: 0...255) }) throws {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw Failure() }
        (self.id, self.key) = (id, key)
    }

    deinit { EVP_PKEY_free(key) }

    /// The id of the passkey in plain Base64.
    package var textID: String { Data(id).base64EncodedString() }

    /// Returns a new passkey as apps send it.
    package func registration(_ statement: Statement) throws -> JSONValue {
        try registration(statement, attestation: attestation(statement))
    }

    /// Returns a new passkey with an attestation object of the test's own.
    package func registration(_ statement: Statement, attestation: [UInt8]) -> JSONValue {
        [
            "id": .string(textID),
            "response": ["clientDataJSON": text(statement.clientData), "attestationObject": text(attestation)],
        ]
    }

    /// Returns the attestation object of a statement.
    package func attestation(_ statement: Statement) throws -> [UInt8] {
        [0xA3] + Self.text("fmt") + Self.text(statement.format) + Self.text("attStmt") + statement.certificates
            + Self.text("authData") + Self.head(2, try data(statement).count) + (try data(statement))
    }

    /// Returns a signed statement as apps send it.
    package func authentication(_ statement: Statement) throws -> JSONValue {
        let bytes = try data(statement)
        var hash = [UInt8](repeating: 0, count: 32)
        _ = SHA256(statement.clientData, statement.clientData.count, &hash)
        var response: JSONValue = [
            "clientDataJSON": text(statement.clientData), "authenticatorData": text(bytes),
            "signature": text(try signature(of: bytes + hash)),
        ]
        response["userHandle"] = statement.userHandle.map(JSONValue.string)
        return ["id": .string(textID), "response": response]
    }

    /// The authenticator data.
    private func data(_ statement: Statement) throws -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        let site = Array(statement.site.utf8)
        _ = SHA256(site, site.count, &hash)
        let counter = withUnsafeBytes(of: statement.counter.bigEndian) { Array($0) }
        var bytes = hash + [statement.flags] + counter
        if statement.flags & 0x40 != 0 {
            let length = withUnsafeBytes(of: UInt16(id.count).bigEndian) { Array($0) }
            let point = try statement.point ?? self.point
            bytes += [UInt8](repeating: 7, count: 16) + length + id
            bytes += [0xA5, 0x01, 0x02, 0x03] + statement.algorithm + [0x20, 0x01]
            bytes += [0x21] + Self.head(2, 32) + point.prefix(32) + [0x22] + Self.head(2, 32) + point.suffix(32)
        }
        return bytes + statement.extensions
    }

    /// The numbers of the public key.
    private var point: [UInt8] {
        get throws {
            var (bytes, count) = ([UInt8](repeating: 0, count: 65), 0)
            guard EVP_PKEY_get_octet_string_param(key, "pub", &bytes, bytes.count, &count) == 1, count == 65 else {
                throw Failure()
            }
            return Array(bytes.dropFirst())
        }
    }

    private func signature(of message: [UInt8]) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw Failure() }
        return Array(signature.prefix(count))
    }

    private func text(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

    private static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

    /// The head of a value in CBOR.
    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<24: [kind << 5 | UInt8(count)]
        case ..<256: [kind << 5 | 24, UInt8(count)]
        default: [kind << 5 | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    }
}
