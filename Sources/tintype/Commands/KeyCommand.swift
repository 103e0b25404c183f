import API
import ArgumentParser
import Foundation
import HTTPTypes
import Uploads

/// Manages the keys of admins, and those that sign tokens and addresses of photos.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make, list or delete admin keys; replace the keys that sign.",
        discussion: """
            With an admin key a server or a script may do everything over TCP: it sends "Authorization: Bearer KEY". The \
            service keeps only a hash of it. These commands need the running service.

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
            abstract: "Make an admin key, and print it; it is never shown again.",
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
                "The time for which it is good, such as 24h or 90d (default: for ever).", valueName: "time"))
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
            abstract: "List the admin keys: when they were made, and until when they are good.",
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
            for key in keys { json ? Terminal.outputJSON(key) : Terminal.output(key.line) }
            if keys.isEmpty { Terminal.note("no admin keys") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete an admin key, which is good no more then.",
            discussion: """
                EXAMPLE
                  tintype key rm backup
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The name that \"tintype key ls\" prints first.", valueName: "name"))
        var name: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let deleted: AdminKeyDeletionDocument = try await APIClient(storage).read(
                .delete, "/v1/keys/\(APIClient.percentEncoded(name))")
            if json { Terminal.outputJSON(deleted) } else { Terminal.output("deleted  \(deleted.name)".printable) }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the key that signs tokens, or addresses of photos.",
            discussion: """
                The service does so by itself with the key of tokens, every thirty days. Tokens and addresses that the \
                old key signed count until they expire. With --compromised they count no more: apps get new ones by \
                themselves.

                EXAMPLES
                  tintype key rotate
                  tintype key rotate --compromised --yes
                  tintype key rotate --addresses
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Replace the key that signs addresses of photos (/media/…?token=…).")
        var addresses = false

        @Flag(help: "The old keys are in wrong hands: refuse all that they signed.")
        var compromised = false

        @Flag(name: .shortAndLong, help: "Refuse them without asking.")
        var yes = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            if compromised, !yes {
                let signed = addresses ? "addresses of photos" : "tokens"
                try Terminal.confirm("refuse all \(signed) that were issued so far")
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

    /// The key on one line.
    fileprivate var line: String {
        let end =
            switch expires.map(Self.time) {
            case nil: "for ever"
            case let date? where date <= .now: "expired \(date.formatted(.iso8601))"
            case let date?: "until \(date.formatted(.iso8601))"
            }
        return "\(name)  \(Self.time(created).formatted(.iso8601))  \(end)".printable
    }
}
