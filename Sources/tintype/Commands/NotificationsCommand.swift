import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

/// Lists a person's notifications.
struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "List a person's notifications, newest first, or mark them as read.",
        usage: "tintype notifications <uid> [<options>]",
        discussion: """
            Each line has the time, the kind, the id and the name of the person who caused the notification, the post, and the \
            text. It begins with an asterisk if the notification is unread. This command needs the running service.

            EXAMPLES
              tintype notifications maria --limit 5
              tintype notifications maria --unread --json | jq -r .kind
              tintype notifications maria --read-all
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The id of the person.", valueName: "uid"))
    var uid: String

    @OptionGroup var list: ListOptions

    @Flag(help: "Show only unread notifications.")
    var unread = false

    @Flag(help: "Mark all as read, instead of listing them.")
    var readAll = false

    func validate() throws {
        guard !readAll || list.limit == nil && !unread else {
            throw ValidationError("--read-all marks all; leave --limit and --unread out")
        }
    }

    func run() async throws {
        let service = try APIClient(storage)
        let path = "\(PersonID.path(uid))/notifications"
        guard !readAll else {
            let all: JSONValue = ["all": true]
            let left: UnreadDocument = try await service.read(.post, path + "/read", json: all)
            return list.json ? Terminal.outputJSON(left) : Terminal.output("\(left.unread) unread")
        }
        var count = 0
        var table = TextTable([.whole, .whole, .whole, .whole, .text, .whole, .text])
        try await Pages.forEachPage(limit: list.limit) { size, next in
            let page: NotificationPageDocument = try await service.read(
                .get, path, query: ["limit": "\(size)", "before": next])
            count = page.unread
            return (page.notifications, page.next)
        } _: { page in
            let notifications = page.filter { $0.isUnread || !unread }
            guard !list.json else { return notifications.forEach { Terminal.outputJSON($0) } }
            for line in table.lines(notifications.map(\.cells)) { Terminal.output(line) }
        }
        Terminal.note("\(count) unread")
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
