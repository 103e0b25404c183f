import TreeModel

/// A service account of the operator's, whose key signs custom tokens.
package struct ServiceAccount: Sendable {
    /// The e-mail address, which is the issuer of its tokens.
    package let email: String
    let key: VerificationKey

    /// Reads the JSON file that Firebase gives out for a service account; of its private key, only the public half is
    /// kept.
    ///
    /// - Throws: ``KeyError`` for anything else.
    package init(document: [UInt8]) throws(KeyError) {
        guard document.count <= PEM.maxBytes, let json = JSONValue(text: document),
            let email = json["client_email"]?.string, !email.isEmpty, let pem = json["private_key"]?.string
        else { throw KeyError("the file is not that of a service account") }
        self.email = email
        key = VerificationKey(publicKey: try PEM.publicHalf(ofPrivateKey: pem))
    }

    /// Reads the JSON file of a service account at a path.
    ///
    /// - Throws: ``KeyError`` when it cannot be read, or is none.
    package init(path: String) throws(KeyError) {
        try self.init(document: try KeyFile.read(path, maxBytes: PEM.maxBytes))
    }
}
