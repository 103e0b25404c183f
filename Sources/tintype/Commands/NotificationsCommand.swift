import API
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import Pipeline

/// Lists what somebody is told of.
struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "List what somebody is told of, the newest first, or mark it as read.",
        usage: "tintype notifications <uid> [<options>]",
        discussion: """
            Each line has an asterisk if it is unread, the time, the kind, who has done it, the post, and what was said. \
            This command needs the running service.

            EXAMPLES
              tintype notifications maria --limit 5
              tintype notifications maria --unread --json | jq -r .kind
              tintype notifications maria --read-all
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The person.", valueName: "uid"))
    var uid: String

    @Option(help: ArgumentHelp("The number of notifications to look at (default: all).", valueName: "n"))
    var limit: Int?

    @Flag(help: "Show the unread ones alone.")
    var unread = false

    @Flag(help: "Mark all as read, instead of listing them.")
    var readAll = false

    @Flag(help: "Print one JSON document for each notification.")
    var json = false

    func validate() throws {
        guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit has to be 1 or more") }
        guard !readAll || limit == nil && !unread else {
            throw ValidationError("--read-all marks all; leave --limit and --unread out")
        }
    }

    func run() async throws {
        let service = try APIClient(storage)
        let path = "/v1/people/\(APIClient.percentEncoded(uid))/notifications"
        guard !readAll else {
            let left: UnreadDocument = try await service.read(
                .post, path + "/read", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"all":true}"#.utf8)))
            return json ? Terminal.outputJSON(left) : Terminal.output("\(left.unread) unread")
        }
        var page = NotificationPageDocument(notifications: [], hasMore: true, next: nil, unread: 0)
        var count = 0
        repeat {
            let size = min(NotificationPageDocument.maxNotifications, (limit ?? .max) - count)
            page = try await service.read(.get, path, query: ["limit": "\(size)", "before": page.next])
            for notification in page.notifications where notification.isUnread || !unread {
                json ? Terminal.outputJSON(notification) : Terminal.output(notification.line)
            }
            count += page.notifications.count
        } while page.next != nil && count < limit ?? .max
        Terminal.note("\(page.unread) unread")
    }
}

extension NotificationDocument {
    /// The notification on one line, a dash for what there is not.
    fileprivate var line: String {
        let time = Date(timeIntervalSince1970: Double(timestamp) / 1000).formatted(.iso8601)
        let words = [title, text].compactMap(\.self).joined(separator: ": ").split(whereSeparator: \.isNewline)
        let fields = [isUnread ? "*" : " ", time, kind, actor?.uid ?? "-", post ?? "-", words.joined(separator: " ")]
        return fields.joined(separator: "  ").printable
    }
}
