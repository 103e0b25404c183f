import API
import ArgumentParser
import HTTPTypes
import Uploads

/// Lists deliveries of notifications, and retries them.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List notifications that could not be delivered, or retry them.",
        discussion: """
            The settings notification-webhook and notification-command choose where notifications are delivered. A failed \
            delivery is retried for about four hours, and then given up. These commands need the running service.

            EXAMPLES
              tintype outbox ls
              tintype outbox retry --all
            """,
        subcommands: [List.self, Retry.self])

    /// Returns a reader of the pages of deliveries in a state.
    private static func pages(_ state: String, _ service: APIClient) -> Pages.Reader<OutboxEntryDocument> {
        { size, next in
            let page: OutboxPageDocument = try await service.read(
                .get, "/v1/outbox", query: ["state": state, "limit": "\(size)", "after": next])
            return (page.deliveries, page.next)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the deliveries that were given up, grouped by recipient.",
            usage: "tintype outbox ls [<options>]",
            discussion: """
                Each line has the id, the time, the kind, the recipient's id and name, the number of attempts, and the \
                last error.

                EXAMPLES
                  tintype outbox ls
                  tintype outbox ls --waiting --limit 10
                  tintype outbox ls --json | jq -r .error
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "List waiting deliveries instead.")
        var waiting = false

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            var names = PersonNames(service)
            try await list.print(
                nothing: waiting ? "no deliveries are waiting" : "no deliveries were given up",
                columns: [
                    .whole("id"), .whole("since"), .whole("kind"), .whole("to"), .text("name"), .number("attempts"),
                    .text("error"),
                ],
                OutboxCommand.pages(waiting ? "waiting" : "dead", service)
            ) { delivery in
                let name = await names.name(of: delivery.to)
                return [
                    delivery.id, delivery.since.time, delivery.kind, delivery.to ?? "everybody", name,
                    "\(delivery.attempts)", delivery.error ?? "-",
                ]
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Retry deliveries immediately.",
            usage: "tintype outbox retry (<id> ... | --all) [<options>]",
            discussion: """
                EXAMPLES
                  tintype outbox retry --all
                  tintype outbox ls --json | jq -r 'select(.to == "maria") | .id' \\
                    | xargs -r tintype outbox retry
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The ids, the first column of \"tintype outbox ls\".", valueName: "id"))
        var ids: [String] = []

        @Flag(help: "Retry all deliveries that were given up.")
        var all = false

        @Flag(help: "Print one JSON document for each delivery.")
        var json = false

        func validate() throws {
            guard all == ids.isEmpty else { throw ValidationError("name deliveries, or give --all") }
        }

        func run() async throws {
            let service = try APIClient(storage)
            var ids = ids
            if all {
                let pages = OutboxCommand.pages("dead", service)
                try await Pages.forEach(pages) { ids.append($0.id) }
            }
            if ids.isEmpty { Terminal.note("no deliveries were given up") }
            let batch = Batch(ids, isJSON: json) { OutcomeDocument(.failed, id: $0, failure: $1) }
            try await batch.forEach { id in
                let delivery: OutboxEntryDocument = try await service.read(
                    .post, "/v1/outbox/\(id.percentEncoded)/retry")
                json ? Terminal.outputJSON(delivery) : Terminal.output("waiting  \(delivery.id)".printable)
            }
        }
    }
}
