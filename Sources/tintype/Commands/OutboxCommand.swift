import API
import ArgumentParser
import Foundation
import HTTPTypes
import Pipeline

/// Lists deliveries of notifications, and has them tried again.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List notifications that could not be delivered, or have them tried again.",
        discussion: """
            The settings notification-webhook and notification-command say to what notifications are delivered. What \
            fails is tried again for about four hours, and then given up. These commands need the running service.

            EXAMPLES
              tintype outbox ls
              tintype outbox retry --all
            """,
        subcommands: [List.self, Retry.self])

    /// Calls a function with each delivery of a state, page by page.
    static func forEach(
        _ state: String, limit: Int = .max, _ service: APIClient, _ body: (OutboxEntryDocument) async throws -> Void
    ) async throws -> Int {
        var count = 0
        var next: String?
        repeat {
            let page: OutboxPageDocument = try await service.read(
                .get, "/v1/outbox", query: ["state": state, "limit": "\(min(200, limit - count))", "after": next])
            for delivery in page.deliveries { try await body(delivery) }
            count += page.deliveries.count
            next = page.next
        } while next != nil && count < limit
        return count
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the deliveries that were given up, by their recipients.",
            discussion: """
                Each line has the id, the time, the kind, the recipient, the number of tries, and why the last one failed.

                EXAMPLES
                  tintype outbox ls
                  tintype outbox ls --waiting --limit 10
                  tintype outbox ls --json | jq -r .error
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "List those that wait to be delivered instead.")
        var waiting = false

        @Option(help: ArgumentHelp("The number of deliveries (default: all).", valueName: "n"))
        var limit: Int?

        @Flag(help: "Print one JSON document for each delivery.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit has to be 1 or more") }
        }

        func run() async throws {
            let count = try await OutboxCommand.forEach(
                waiting ? "waiting" : "dead", limit: limit ?? .max, try APIClient(storage)
            ) { delivery in
                json ? Terminal.outputJSON(delivery) : Terminal.output(delivery.line)
            }
            if count == 0 { Terminal.note(waiting ? "nothing waits" : "nothing was given up") }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Have deliveries tried again at once.",
            discussion: """
                EXAMPLES
                  tintype outbox retry --all
                  tintype outbox ls --json | jq -r 'select(.to == "maria") | .id' | xargs -r tintype outbox retry
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The ids that \"tintype outbox ls\" prints first.", valueName: "id"))
        var ids: [String] = []

        @Flag(help: "Try all again that were given up.")
        var all = false

        @Flag(help: "Print one JSON document for each delivery.")
        var json = false

        func validate() throws {
            guard all == ids.isEmpty else { throw ValidationError("name deliveries, or say --all") }
        }

        func run() async throws {
            let service = try APIClient(storage)
            var ids = ids
            if all { _ = try await OutboxCommand.forEach("dead", service) { ids.append($0.id) } }
            var failures = 0
            for id in ids {
                do {
                    let delivery: OutboxEntryDocument = try await service.read(
                        .post, "/v1/outbox/\(APIClient.percentEncoded(id))/retry")
                    json ? Terminal.outputJSON(delivery) : Terminal.output("waiting  \(delivery.id)".printable)
                } catch let error as Failure where !error.isTransient && error.code != .noService {
                    Terminal.error("\(id): \(error)".printable)
                    failures += 1
                }
            }
            if ids.isEmpty { Terminal.note("nothing was given up") }
            if failures > 0 { throw failures == ids.count ? ExitStatus.failed : ExitStatus.partial }
        }
    }
}

extension OutboxEntryDocument {
    /// The delivery on one line, a dash for what there is not.
    fileprivate var line: String {
        let time = Date(timeIntervalSince1970: Double(since) / 1000).formatted(.iso8601)
        let words = (error ?? "-").split(whereSeparator: \.isNewline).joined(separator: " ")
        return [id, time, kind, to ?? "everybody", "\(attempts)", words].joined(separator: "  ").printable
    }
}
