import API
import ArgumentParser
import Foundation
import HTTPTypes
import Uploads

/// Manages the keys of admins, and the keys that sign tokens and URLs of photos.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list or delete admin keys; replace signing keys.",
        discussion: """
            With an admin key, a server or a script may do everything over TCP: it sends "Authorization: Bearer KEY". \
            The service stores only a hash of the key. These commands need the running service.

            EXAMPLES
              tintype key add backup --expires 90d
              tintype key ls
              tintype key rm backup
              tintype key rotate
            """,
        subcommands: [Add.self, List.self, Remove.self, Rotate.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Create an admin key, and print it; it is never shown again.",
            usage: "tintype key add <name> [<options>]",
            discussion: """
                EXAMPLES
                  tintype key add backup
                  tintype key add deploy --expires 90d --json | jq -r .key
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The name: letters, digits, hyphens and underscores.", valueName: "name"))
        var name: String

        @Option(
            help: ArgumentHelp(
                "The time after which it expires, such as 24h or 90d (default: never).", valueName: "time"))
        var expires: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let seconds = try expires.map { text in
                guard let time = SettingParsers.duration(text) else {
                    throw ValidationError("--expires needs \(SettingParsers.durationExpectation)")
                }
                return "\(time.components.seconds)"
            }
            let key: AdminKeyDocument = try await APIClient(storage).read(
                .post, "/v1/keys", query: ["name": name, "lifetime": seconds])
            if json { Terminal.outputJSON(key) } else { Terminal.output(key.key ?? "") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the admin keys with the times of their creation and expiry.",
            discussion: """
                EXAMPLE
                  tintype key ls
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document for each key.")
        var json = false

        func run() async throws {
            let keys = try await APIClient(storage).send(.get, "/v1/keys").split(separator: UInt8(ascii: "\n")).map {
                try AdminKeyDocument(json: $0)
            }
            if json {
                for key in keys { Terminal.outputJSON(key) }
            } else {
                var table = TextTable([.whole("name"), .whole("created"), .whole("end")])
                table.print(keys.map(\.cells))
            }
            if keys.isEmpty { Terminal.note("no admin keys") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete an admin key, which is then no longer valid.",
            discussion: """
                EXAMPLE
                  tintype key rm backup
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The name, the first column of \"tintype key ls\".", valueName: "name"))
        var name: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let deleted: AdminKeyDeletionDocument = try await APIClient(storage).read(
                .delete, "/v1/keys/\(name.percentEncoded)")
            if json { Terminal.outputJSON(deleted) } else { Terminal.output("deleted  \(deleted.name)".printable) }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the key that signs tokens, or URLs of photos.",
            usage: "tintype key rotate [<options>]",
            discussion: """
                The service replaces the key of tokens by itself, every thirty days. Tokens and URLs that the old key signed \
                stay valid until they expire. With --compromised they are invalid immediately: apps get new ones by \
                themselves.

                EXAMPLES
                  tintype key rotate
                  tintype key rotate --compromised --yes
                  tintype key rotate --addresses
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Replace the key that signs URLs of photos (/media/…?token=…).")
        var addresses = false

        @Flag(help: "Also reject everything that the old keys signed, for keys that have leaked.")
        var compromised = false

        @Flag(name: .shortAndLong, help: "Reject without confirmation.")
        var yes = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            if compromised, !yes {
                let signed = addresses ? "URLs of photos" : "tokens"
                try Terminal.confirm("reject all \(signed) that were issued so far")
            }
            let key: SigningKeyDocument = try await APIClient(storage).read(
                .post, addresses ? "/v1/media-keys" : "/v1/signing-keys",
                query: ["compromised": compromised ? "true" : nil])
            if json { return Terminal.outputJSON(key) }
            let time = Date(timeIntervalSince1970: Double(key.signsFrom) / 1000)
            Terminal.output(
                time <= .now ? "the new key signs" : "the new key signs from \(time.formatted(.iso8601)) on")
        }
    }
}

extension AdminKeyDocument {
    private static func time(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The name, the creation and the end.
    fileprivate var cells: [String] {
        let end =
            switch expires.map(Self.time) {
            case nil: "for ever"
            case let date? where date <= .now: "expired \(date.formatted(.iso8601))"
            case let date?: "until \(date.formatted(.iso8601))"
            }
        return [name, Self.time(created).formatted(.iso8601), end]
    }
}
