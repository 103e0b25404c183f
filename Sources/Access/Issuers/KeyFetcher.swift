import Cryptography
import TreeModel

/// A document from the network.
package struct FetchedDocument: Sendable {
    package let bytes: [UInt8]
    /// How long it may be kept, in seconds (`Cache-Control: max-age`); nil when it was not said.
    package let maxAgeSeconds: Int?

    package init(bytes: [UInt8], maxAgeSeconds: Int?) {
        self.bytes = bytes
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// What the keys of issuers need of the world around.
package struct KeyFetcher: Sendable {
    /// Gets the document at an address, of which no more than so many bytes are wanted; throws when there is none.
    package var fetch: @Sendable (_ url: String, _ maxBytes: Int) async throws -> FetchedDocument
    /// The last good keys of an issuer, from where ``save`` put them; nil for none.
    package var load: @Sendable (_ issuer: String) -> [UInt8]?
    /// Keeps the last good keys of an issuer for a start when its address is down.
    package var save: @Sendable (_ issuer: String, _ document: [UInt8]) async -> Void
    /// Is told of keys that could not be had, in one sentence.
    package var warn: @Sendable (_ issuer: String, _ problem: String) -> Void

    package init(
        fetch: @escaping @Sendable (_ url: String, _ maxBytes: Int) async throws -> FetchedDocument,
        load: @escaping @Sendable (_ issuer: String) -> [UInt8]? = { _ in nil },
        save: @escaping @Sendable (_ issuer: String, _ document: [UInt8]) async -> Void = { _, _ in },
        warn: @escaping @Sendable (_ issuer: String, _ problem: String) -> Void = { _, _ in }
    ) {
        (self.fetch, self.load, self.save, self.warn) = (fetch, load, save, warn)
    }

    /// Gets the keys of an issuer.
    ///
    /// - Throws: ``KeyError`` for what is no set of keys, and whatever ``fetch`` throws.
    func document(of issuer: IssuerSettings) async throws -> FetchedDocument {
        switch issuer.keySource {
        case .file(let path):
            return FetchedDocument(
                bytes: try KeyFile.read(path, maxBytes: PublicKeySet.maxBytes), maxAgeSeconds: nil)
        case .url(let url): return try await fetchBounded(url)
        case .discovery:
            let description = JSONValue(text: try await fetchBounded(issuer.discoveryURL).bytes)
            // Whoever answers has to be the issuer (OpenID Connect Discovery 1.0 §4.3).
            guard description?["issuer"]?.string?.isSame(as: issuer.issuer) == true,
                let url = description?["jwks_uri"]?.string, IssuerSettings.isAllowed(url: url)
            else { throw KeyError("the description of the issuer is not its own, or names no https address of keys") }
            return try await fetchBounded(url)
        }
    }

    private func fetchBounded(_ url: String) async throws -> FetchedDocument {
        let document = try await fetch(url, PublicKeySet.maxBytes)
        guard document.bytes.count <= PublicKeySet.maxBytes else { throw KeyError("the document is too long") }
        return document
    }
}
