import API
import ArgumentParser
import HTTPTypes
import Uploads

/// Lists announcements, and deletes them.
struct AnnouncementsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announcements",
        abstract: "List announcements, or delete them.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype announcements ls --limit 5
              tintype announcements rm $(tintype announcements ls --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [List.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the announcements to everybody, newest first.",
            discussion: """
                Each line has the id, the time, the author's id and name, and the text.

                EXAMPLES
                  tintype announcements ls --limit 5
                  tintype announcements ls --json | jq -r .text
                """)

        @OptionGroup var storage: StorageOptions

        @OptionGroup var list: ListOptions

        func run() async throws {
            let service = try APIClient(storage)
            try await list.print(
                nothing: "there are no announcements", columns: [.whole, .whole, .whole, .text, .text]
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
            discussion: """
                EXAMPLE
                  tintype announcements rm $(tintype announcements ls --limit 1 | cut -d' ' -f1)
                """)

        @OptionGroup var storage: StorageOptions

        // Ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, the first column of \"tintype announcements ls\".", valueName: "id"))
        var ids: [String]

        @Flag(help: "Print one JSON document for each announcement.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            let batch = Batch(ids, isJSON: json) { OutcomeDocument(.failed, id: $0, failure: $1) }
            try await batch.forEach { id in
                let deleted: AnnouncementDeletionDocument = try await service.read(
                    .delete, "/v1/announcements/\(APIClient.percentEncoded(id))")
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
