import API
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
package import Social
import Tree
import TreeModel

/// `/v1/people/{uid}/notifications`: a person's notifications, for that person and for admins.
package struct NotificationRoutes: Sendable {
    /// The longest body, in bytes: enough for the ids of a page, with room for spaces.
    private static let maxBodyBytes = 64 << 10

    private let notifications: Notifications
    private let hiding: HiddenTexts

    package init(_ notifications: Notifications, _ database: RealtimeDatabase, _ visibility: Visibility) {
        self.notifications = notifications
        hiding = HiddenTexts(database, visibility)
    }

    package func add(to routes: inout RouteTable) {
        let person = Parameter.path("uid", .userID)
        let list = Endpoint(
            "listNotifications", in: .notifications, "List a person's notifications, the newest first",
            details: "For the person.",
            [person] + .page(of: "notifications", from: "before") + [
                .query("grouped", .flag, "whether likes of one post are one notification")
            ],
            answers: [.json(NotificationPageDocument.self).withToken],
            errors: [.permissionDenied, .notAllowed, .notFound], run: list)
        routes.add("/v1/people/{uid}/notifications", [.get: list])
        let markRead = Endpoint(
            "markNotificationsRead", in: .notifications, "Mark notifications as read: some, all up to one, or all",
            details: "For the person.", [person, .idempotencyKey],
            body: [
                "application/json": .object([
                    "ids": .list(of: .text(upTo: TreeKey.maxBytes)), "up_to": .text(upTo: TreeKey.maxBytes),
                    "all": .flag, "grouped": .flag,
                ]).named("NotificationSelection")
            ], answers: [.json(UnreadDocument.self).withToken],
            errors: [.permissionDenied, .notAllowed, .notFound, .unsupportedType, .tooLarge] + .ofKeys, run: markRead)
        routes.add("/v1/people/{uid}/notifications/read", [.post: markRead])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "read another user's notifications")
        var (document, token) = try await notifications.page(
            of: uid, before: try context.query.noticeCursor(), limit: try context.query.pageLimit(),
            isGrouped: try context.query.flag("grouped"))
        try await hiding.removeHiddenTexts(from: &document.notifications, context)
        return .json(document, at: token)
    }

    @Sendable private func markRead(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "mark another user's notifications as read")
        let members = try await context.jsonMembers(
            ["ids", "up_to", "all", "grouped"], of: request, upTo: Self.maxBodyBytes, example: Self.example)
        let (unread, token) = try await notifications.markRead(
            try Self.selection(in: members), by: uid, as: try context.key(of: request, with: members))
        return .json(UnreadDocument(unread: unread), at: token)
    }

    private static let example = #"{"all":true}"#

    /// Parses the body that selects the notifications to mark: by one of its members, and by `grouped` together with
    /// ids.
    private static func selection(in members: [String: JSONValue]) throws(Failure) -> Notifications.Selection {
        let fault = Failure(
            .badRequest, "the body does not select notifications",
            hint:
                #"Write it as {"all":true}, {"up_to":"ID"}, or {"ids":["ID"]} with at most \#(Notifications.maxIDs) of them."#
        )
        var members = members
        let grouped = members.removeValue(forKey: "grouped")
        guard members.count == 1, let (name, value) = members.first else { throw fault }
        switch (name, value) {
        case ("all", .bool(true)) where grouped == nil: return .all
        case ("up_to", .string(let text)) where grouped == nil:
            guard let position = (try? TreeKey(text)).flatMap({ PostPosition(key: $0) }) else { throw fault }
            return .upTo(position.key)
        case ("ids", .list(let list)):
            guard list.count <= Notifications.maxIDs else { throw fault }
            var ids: Set<TreeKey> = []
            for element in list {
                guard let id = element.string.flatMap({ try? TreeKey($0) }) else { throw fault }
                ids.insert(id)
            }
            switch grouped {
            case nil, .bool(false): return .ids(ids)
            case .bool(true): return .groups(ids)
            default: throw fault
            }
        default: throw fault
        }
    }
}
