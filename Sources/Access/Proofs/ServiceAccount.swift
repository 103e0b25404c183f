package import Cryptography
import TreeModel

/// A service account of the operator, whose key signs custom tokens.
package struct ServiceAccount: Sendable {
    /// The e-mail address, which is the issuer of its tokens.
    package let email: String
    let key: VerificationKey

    /// Reads the JSON file that Firebase issues for a service account; of its private key, only the public half is
    /// kept.
    ///
    /// - Throws: ``KeyError`` for any other document.
    package init(document: [UInt8]) throws(KeyError) {
        guard document.count <= PEM.maxBytes, let json = JSONValue(text: document),
            let email = json["client_email"]?.string, !email.isEmpty, let pem = json["private_key"]?.string
        else { throw KeyError("the file is not that of a service account; a certificate is named EMAIL=FILE") }
        self.email = email
        key = VerificationKey(publicKey: try PEM.publicHalf(ofPrivateKey: pem))
    }

    /// Creates the account with this address from its public key or certificate in PEM.
    ///
    /// - Throws: ``KeyError`` for a missing address, a private key or an invalid key.
    init(email: String, pem: String) throws(KeyError) {
        guard !email.isEmpty else { throw KeyError("the address of the service account is missing") }
        guard !pem.contains("PRIVATE KEY-----") else {
            throw KeyError("the file contains a private key; use the public key or a certificate")
        }
        self.email = email
        key = try VerificationKey(pem: pem)
    }

    /// Reads a file that the operator names: `FILE` is the JSON file of a service account; `EMAIL=FILE` is a public key
    /// or a certificate in PEM for the account with that address.
    ///
    /// - Throws: ``KeyError`` that names the file when it cannot be read, or has another content.
    package init(parsing text: String) throws(KeyError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let email = parts.count == 2 && parts[0].contains("@") && !parts[0].contains("/") ? parts[0] : nil
        let path = email == nil ? text : parts[1]
        let document = try KeyFile.read(path, maxBytes: PEM.maxBytes)
        do throws(KeyError) {
            if let email {
                try self.init(email: email, pem: String(decoding: document, as: UTF8.self))
            } else {
                try self.init(document: document)
            }
        } catch {
            throw KeyError("\(path): \(error.message)")
        }
    }
}
