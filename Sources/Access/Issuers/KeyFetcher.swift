import Cryptography
import TreeModel

/// A document from the network.
package struct FetchedDocument: Sendable {
    package let bytes: [UInt8]
    /// The time for which it may be kept, in seconds (`Cache-Control: max-age`); nil if the response does not contain
    /// it.
    package let maxAgeSeconds: Int?

    package init(bytes: [UInt8], maxAgeSeconds: Int?) {
        self.bytes = bytes
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// The environment of the issuers' keys: network, storage and log.
package struct KeyFetcher: Sendable {
    /// Fetches the document at an address, up to a number of bytes; throws when it cannot be read.
    package var fetch: @Sendable (_ url: String, _ maxBytes: Int) async throws -> FetchedDocument
    /// Loads the last good keys of an issuer that ``save`` stored; nil for none.
    package var load: @Sendable (_ issuer: String) -> [UInt8]?
    /// Stores the last good keys of an issuer, for a start while its address is down.
    package var save: @Sendable (_ issuer: String, _ document: [UInt8]) async -> Void
    /// Reports keys that could not be fetched; the problem is one sentence.
    package var warn: @Sendable (_ issuer: String, _ problem: String) -> Void

    package init(
        fetch: @escaping @Sendable (_ url: String, _ maxBytes: Int) async throws -> FetchedDocument,
        load: @escaping @Sendable (_ issuer: String) -> [UInt8]? = { _ in nil },
        save: @escaping @Sendable (_ issuer: String, _ document: [UInt8]) async -> Void = { _, _ in },
        warn: @escaping @Sendable (_ issuer: String, _ problem: String) -> Void = { _, _ in }
    ) {
        (self.fetch, self.load, self.save, self.warn) = (fetch, load, save, warn)
    }

    /// Fetches the keys of an issuer.
    ///
    /// - Throws: ``KeyError`` for a document that is not a key set, and any error of ``fetch``.
    func document(of issuer: IssuerSettings) async throws -> FetchedDocument {
        switch issuer.keySource {
        case .file(let path):
            return FetchedDocument(
                bytes: try KeyFile.read(path, maxBytes: PublicKeySet.maxBytes), maxAgeSeconds: nil)
        case .url(let url): return try await fetchBounded(url)
        case .discovery:
            let description = JSONValue(text: try await fetchBounded(issuer.discoveryURL).bytes)
            // The document must name the issuer itself (OpenID Connect Discovery 1.0 §4.3).
            guard description?["issuer"]?.string?.isSame(as: issuer.issuer) == true,
                let url = description?["jwks_uri"]?.string, IssuerSettings.isAllowed(url: url)
            else { throw KeyError("the discovery document is not the issuer's own, or names no https address of keys") }
            return try await fetchBounded(url)
        }
    }

    private func fetchBounded(_ url: String) async throws -> FetchedDocument {
        let document = try await fetch(url, PublicKeySet.maxBytes)
        guard document.bytes.count <= PublicKeySet.maxBytes else { throw KeyError("the document is too long") }
        return document
    }
}
