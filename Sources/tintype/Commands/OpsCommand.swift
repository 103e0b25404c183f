import API
import ArgumentParser
import Foundation
import HTTPTypes
import Uploads

/// Creates a key for the operations page, and prints the link that opens it.
struct OpsCommand: AsyncParsableCommand {
    /// The lifetime of the key, in seconds.
    private static let lifetime = 12 * 3600
    private static let prefix = "ops-"

    static let configuration = CommandConfiguration(
        commandName: "ops",
        abstract: "Print a link to the operations page, valid for 12 hours.",
        discussion: """
            The page shows the queue, failures, jobs, streams and rejections of the running service, and lets you act on \
            them. The link contains an admin key: everyone with the link may do everything, until the key expires or \
            "tintype key rm" deletes it. Expired keys of earlier links are deleted.

            EXAMPLES
              tintype ops
              tintype ops --json | jq -r .url
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let service = try APIClient(storage)
        let operations: OperationsDocument = try await service.read(.get, "/v1/operations")
        guard let page = operations.pages.first else {
            throw Failure(
                .unavailable, "the service does not listen on a port that a browser can open",
                hint: "Start it with an address, as in \"tintype serve --listen 127.0.0.1:8080\".")
        }
        try await removeExpiredKeys(service)
        // If two keys are created in the same millisecond, the service rejects the second.
        let name = Self.prefix + String(Int64(Date.now.timeIntervalSince1970 * 1000), radix: 36)
        let key: AdminKeyDocument = try await service.read(
            .post, "/v1/keys", query: ["name": name, "lifetime": "\(Self.lifetime)"])
        let link = OperationsLinkDocument(
            url: "\(page)/ops#key=\(key.key ?? "")", name: key.name, expires: key.expires)
        if json { Terminal.outputJSON(link) } else { Terminal.output(link.url) }
    }

    private func removeExpiredKeys(_ service: APIClient) async throws {
        let keys = try await service.send(.get, "/v1/keys").split(separator: UInt8(ascii: "\n")).map {
            try AdminKeyDocument(json: $0)
        }
        for key in keys where key.name.hasPrefix(Self.prefix) {
            guard let expires = key.expires, Double(expires) / 1000 < Date.now.timeIntervalSince1970 else { continue }
            _ = try await service.send(.delete, "/v1/keys/\(key.name.percentEncoded)")
        }
    }
}
