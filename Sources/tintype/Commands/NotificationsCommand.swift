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
            Each line has the time, the kind, the person who caused the notification, the post, and the text. It \
            begins with an asterisk if the notification is unread. This command needs the running service.

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
        try await Pages.forEach(limit: list.limit) { size, next in
            let page: NotificationPageDocument = try await service.read(
                .get, path, query: ["limit": "\(size)", "before": next])
            count = page.unread
            return (page.notifications, page.next)
        } _: { notification in
            guard notification.isUnread || !unread else { return }
            list.json ? Terminal.outputJSON(notification) : Terminal.output(notification.line)
        }
        Terminal.note("\(count) unread")
    }
}

extension NotificationDocument {
    /// The notification on one line, with a dash for missing fields.
    fileprivate var line: String {
        let words = [title, text].compactMap(\.self).joined(separator: ": ").oneLine
        let fields = [isUnread ? "*" : " ", timestamp.time, kind, actor?.uid ?? "-", post ?? "-", words]
        return fields.joined(separator: "  ").printable
    }
}
