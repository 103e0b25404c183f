import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

/// Sends announcements, lists them, and deletes them.
struct AnnouncementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announcement",
        abstract: "Send announcements, list them, or delete them.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype announcement add "Dinner is at seven" --title "Tonight"
              tintype announcement ls --limit 5
              tintype announcement rm $(tintype announcement ls --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Send an announcement to everybody, or to some people.",
            usage: "tintype announcement add <text> [<options>]",
            discussion: """
                An announcement to everybody is among the notifications of all people for thirty days, and stays in the \
                list of announcements. With --to, it is only among the notifications of the people that are named.

                EXAMPLES
                  tintype announcement add "Dinner is at seven" --title "Tonight"
                  tintype announcement add "You are in group B" --to maria --to jan
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The text of the announcement, in quotes.", valueName: "text"))
        var text: String

        @Option(help: ArgumentHelp("A line above the text.", valueName: "text"))
        var title: String?

        @Option(help: ArgumentHelp("A recipient; may be repeated (default: everybody).", valueName: "person"))
        var to: [String] = []

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            var body: JSONValue = ["text": .string(text)]
            if let title { body["title"] = .string(title) }
            let service = try APIClient(storage)
            if !to.isEmpty {
                let finder = PersonFinder(service: service)
                var recipients: [JSONValue] = []
                for person in to { recipients.append(.string(try await finder.uid(of: person))) }
                body["to"] = .list(recipients)
            }
            let announcement: AnnouncementDocument = try await service.read(
                .post, "/v1/announcements", json: body)
            guard !json else { return Terminal.outputJSON(announcement) }
            let people = announcement.recipients.map { $0 == 1 ? "to 1 person" : "to \($0) people" }
            Terminal.output("announced  \(announcement.id)  \(people ?? "to everybody")".printable)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the announcements to everybody, newest first.",
            usage: "tintype announcement ls [<options>]",
            discussion: """
                Each line has the id, the time, the author's id and name, and the text.

                EXAMPLES
                  tintype announcement ls --limit 5
                  tintype announcement ls --json | jq -r .text
                """)

        @OptionGroup var storage: StorageOptions

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            try await list.print(
                nothing: "there are no announcements",
                columns: [.whole("id"), .whole("time"), .whole("author"), .text("name"), .text("text")]
            ) { size, next in
                let page: AnnouncementPageDocument = try await service.read(
                    .get, "/v1/announcements", query: ["limit": "\(size)", "before": next])
                return (page.announcements, page.next)
            } row: {
                $0.cells
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete announcements, also from all notifications.",
            usage: "tintype announcement rm <id> ... [<options>]",
            discussion: """
                EXAMPLE
                  tintype announcement rm $(tintype announcement ls --limit 1 | cut -d' ' -f1)
                """)

        @OptionGroup var storage: StorageOptions

        // Ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, the first column of \"tintype announcement ls\".", valueName: "id"))
        var ids: [String]

        @Flag(help: "Print one JSON document for each announcement.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            let batch = Batch(ids, isJSON: json) { OutcomeDocument(.failed, id: $0, failure: $1) }
            try await batch.forEach { id in
                let deleted: AnnouncementDeletionDocument = try await service.read(
                    .delete, "/v1/announcements/\(id.percentEncoded)")
                json ? Terminal.outputJSON(deleted) : Terminal.output("deleted  \(deleted.id)".printable)
            }
        }
    }
}

extension AnnouncementDocument {
    /// The cells of the announcement, with a dash for missing fields.
    fileprivate var cells: [String] {
        let words = [title, text].compactMap(\.self).joined(separator: ": ")
        return [id, timestamp.time, author?.uid ?? "-", author?.fullName ?? "-", words]
    }
}
