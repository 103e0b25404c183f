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
    private static func path(_ uid: String) -> String { "\(PersonID.path(uid))/notifications" }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List a person's notifications, newest first.",
            usage: "tintype notification ls <uid> [<options>]",
            discussion: """
                Each line has the time, the kind, the id and the name of the person who caused the notification, the post, \
                and the text. It begins with an asterisk if the notification is unread.

                EXAMPLES
                  tintype notification ls maria --limit 5
                  tintype notification ls maria --unread --json | jq -r .kind
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id of the person.", valueName: "uid"))
        var uid: String

        @OptionGroup var list: ListOptions

        @Flag(help: "Show only unread notifications.")
        var unread = false

        func run() async throws {
            let service = try APIClient(storage)
            let path = NotificationCommand.path(uid)
            var count = 0
            var table = TextTable([
                .whole(" "), .whole("time"), .whole("kind"), .whole("from"), .text("name"), .whole("post"), .text("text"),
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
            usage: "tintype notification read <uid> [<options>]",
            discussion: """
                EXAMPLE
                  tintype notification read maria
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The id of the person.", valueName: "uid"))
        var uid: String

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let all: JSONValue = ["all": true]
            let left: UnreadDocument = try await APIClient(storage).read(
                .post, NotificationCommand.path(uid) + "/read", json: all)
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
