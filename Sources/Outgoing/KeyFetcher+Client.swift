package import Access
import Cryptography
import Files
import Foundation
package import Logging

extension KeyFetcher {
    /// The largest size of a document of keys, in bytes.
    private static let maxKeptBytes = 256 << 10

    /// Fetches the keys of issuers over the network, and keeps the last good ones in a folder, which is created when
    /// needed, with a file for each issuer.
    ///
    /// Keys from another address are kept in another file, so that keys from an address that the operator no longer
    /// trusts are not used.
    package init(
        _ client: OutgoingClient, of issuers: [IssuerSettings], keptIn path: String, logger: Logger
    ) {
        let names = Dictionary(issuers.map { ($0.issuer, Self.fileName($0)) }) { first, _ in first }
        self.init(
            fetch: { url, maxBytes in
                let document = try await client.document(at: url, maxBytes: maxBytes)
                return FetchedDocument(bytes: document.bytes, maxAgeSeconds: document.maxAgeSeconds)
            },
            load: { issuer in
                names[issuer].flatMap { try? Directory(path: path).file($0).readAll(maxBytes: Self.maxKeptBytes) }
            },
            save: { issuer, document in
                guard let name = names[issuer] else { return }
                do {
                    try await FileThreads.run { () throws(FileError) in
                        let folder = try Directory(path: path, create: true)
                        try StagedFile(holding: document, in: folder).publish(as: name, in: folder)
                        try folder.sync()
                    }
                } catch {
                    logger.warning(
                        "cannot store the keys of an issuer for the next start",
                        metadata: ["issuer": "\(issuer)", "fault": "\(error)"])
                }
            },
            warn: { issuer, problem in
                logger.warning(
                    "an issuer has no new keys", metadata: ["issuer": "\(issuer)", "fault": "\(problem)"])
            })
    }

    private static func fileName(_ issuer: IssuerSettings) -> String {
        let source: String
        switch issuer.keySource {
        case .discovery: source = "discovery"
        case .file(let path): source = path
        case .url(let url): source = url
        }
        return Hex.encode(Digest.sha256("\(issuer.issuer) \(source)")) + ".json"
    }
}
