import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

/// Lists a person's notifications, and marks them as read.
struct NotificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification",
        abstract: "List a person's notifications, or mark them as read.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype notification ls maria --unread
              tintype notification read maria
            """,
        subcommands: [List.self, Read.self])

    /// Returns the path of a person's notifications in the service.
    private static func path(_ person: String, _ service: APIClient) async throws -> String {
        "\(PersonID.path(try await PersonFinder(service: service).uid(of: person)))/notifications"
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List a person's notifications, newest first.",
            usage: "tintype notification ls <person> [<options>]",
            discussion: """
                Each line has the time, the kind, the id and the name of the person who caused the notification, the post, \
                and the text. It begins with an asterisk if the notification is unread.

                EXAMPLES
                  tintype notification ls maria --limit 5
                  tintype notification ls maria --unread --json | jq -r .kind
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id, e-mail address or name of the person.", valueName: "person"))
        var person: String

        @OptionGroup var list: ListOptions

        @Flag(help: "Show only unread notifications.")
        var unread = false

        func run() async throws {
            let service = try APIClient(storage)
            let path = try await NotificationCommand.path(person, service)
            var count = 0
            var table = TextTable([
                .whole(" "), .whole("time"), .whole("kind"), .whole("from"), .text("name"), .whole("post"),
                .text("text"),
            ])
            try await Pages.forEachPage(limit: list.limit) { size, next in
                let page: NotificationPageDocument = try await service.read(
                    .get, path, query: ["limit": "\(size)", "before": next])
                count = page.unread
                return (page.notifications, page.next)
            } _: { page in
                let notifications = page.filter { $0.isUnread || !unread }
                guard !list.json else { return notifications.forEach { Terminal.outputJSON($0) } }
                table.print(notifications.map(\.cells))
            }
            Terminal.note("\(count) unread")
        }
    }

    struct Read: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read",
            abstract: "Mark all of a person's notifications as read.",
            usage: "tintype notification read <person> [<options>]",
            discussion: """
                EXAMPLE
                  tintype notification read maria
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id, e-mail address or name of the person.", valueName: "person"))
        var person: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let all: JSONValue = ["all": true]
            let service = try APIClient(storage)
            let left: UnreadDocument = try await service.read(
                .post, try await NotificationCommand.path(person, service) + "/read", json: all)
            json ? Terminal.outputJSON(left) : Terminal.output("\(left.unread) unread")
        }
    }
}

extension NotificationDocument {
    /// The cells of the notification, with a dash for missing fields.
    fileprivate var cells: [String] {
        let words = [title, text].compactMap(\.self).joined(separator: ": ")
        return [
            isUnread ? "*" : " ", timestamp.time, kind, actor?.uid ?? "-", actor?.fullName ?? "-", post ?? "-", words,
        ]
    }
}
