import Cryptography
import TreeModel

/// A public key as a JSON Web Key (RFC 7517 §4, RFC 7518 §6).
enum WebKey {
    /// Returns the key, if it may be used for supported signatures.
    ///
    /// - Throws: ``KeyError`` for a key that is for another purpose, of another kind, too short or invalid.
    static func verificationKey(_ key: JSONValue) throws(KeyError) -> VerificationKey {
        if let use = key["use"], use.string != "sig" { throw KeyError("it is for another purpose") }
        if let operations = key["key_ops"], operations.elements?.contains("verify") != true {
            throw KeyError("it is for another purpose")
        }
        let verification = VerificationKey(publicKey: try handle(key))
        if let algorithm = key["alg"], algorithm.string != verification.algorithm.rawValue {
            throw KeyError("its algorithm is not supported")
        }
        return verification
    }

    private static func handle(_ key: JSONValue) throws(KeyError) -> KeyHandle {
        switch key["kty"]?.string {
        case "RSA":
            let (modulus, exponent) = (try number("n", of: key), try number("e", of: key))
            // Larger numbers would make each check slow; even exponents are invalid.
            guard modulus.count <= Int(KeyHandle.maxRSABits) / 8, exponent.count <= 4, exponent != [1],
                (modulus.last ?? 0) & (exponent.last ?? 0) & 1 == 1
            else { throw KeyError("it is not a valid RSA key") }
            let numbers = DER.sequence(DER.integer(modulus), DER.integer(exponent))
            return try KeyHandle(publicKeyInfo: DER.sequence(DER.rsaEncryption, DER.bitString(numbers)))
        case "EC":
            let (x, y) = (try number("x", of: key), try number("y", of: key))
            guard key["crv"]?.string == "P-256" else { throw KeyError("it is not a key of the curve P-256") }
            return try KeyHandle(p256X: x, y: y)
        default: throw KeyError("its kind is not supported")
        }
    }

    private static func number(_ name: String, of key: JSONValue) throws(KeyError) -> [UInt8] {
        guard let text = key[name]?.string, let bytes = Base64URL.decode(text.utf8) else {
            throw KeyError("it has no valid \(name)")
        }
        return bytes
    }
}
