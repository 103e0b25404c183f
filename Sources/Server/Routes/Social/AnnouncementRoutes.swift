import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
package import Social
import Tree
import TreeModel

/// `/v1/announcements`: the announcements of admins to everybody, or to some people.
package struct AnnouncementRoutes: Sendable {
    /// The longest body, in bytes: enough for a text, a title and all recipients in JSON.
    private static let maxBodyBytes = 256 << 10

    private let announcements: Announcements
    private let database: RealtimeDatabase

    package init(_ announcements: Announcements, _ database: RealtimeDatabase) {
        self.announcements = announcements
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint(
            "listAnnouncements", in: .notifications, "List the announcements to everybody, the newest first",
            .page(of: "announcements", from: "before"), answers: [.json(AnnouncementPageDocument.self).withToken],
            errors: [.permissionDenied], run: list)
        let publish = Endpoint(
            "createAnnouncement", in: .notifications, "Announce a text to everybody, or to some people",
            details: "For admins.", [.idempotencyKey],
            body: [
                "application/json": .object(
                    ["text": .text, "title": .text, "to": .list(of: .userID)], required: ["text"]
                ).named("NewAnnouncement")
            ], answers: [.json(AnnouncementDocument.self, .created).withToken],
            errors: [
                .adminOnly, .badText, .badUser, .badReference, .unsupportedType, .tooLarge, .keyReused, .deleted,
            ], run: publish)
        routes.add("/v1/announcements", [.get: list, .post: publish])
        let remove = Endpoint(
            "deleteAnnouncement", in: .notifications, "Delete an announcement, also from the notifications",
            details: "For admins.",
            [.path("id", .text(upTo: TreeKey.maxBytes))],
            answers: [.json(AnnouncementDeletionDocument.self).withToken],
            errors: [.adminOnly, .notFound], run: remove)
        routes.add("/v1/announcements/{id}", [.delete: remove])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (cursor, limit) = (try context.query.noticeCursor(), try context.query.pageLimit())
        try await database.session(as: context.identity).judgeRead(of: NotificationNodes.announcement())
        let (document, token) = try await announcements.page(before: cursor, limit: limit)
        return .json(document, at: token)
    }

    @Sendable private func publish(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let author = try context.admin(for: "making an announcement")
        let members = try await context.jsonMembers(
            ["text", "title", "to"], of: request, upTo: Self.maxBodyBytes, example: Self.example)
        guard let text = members["text"]?.string, members["title"].map({ $0.string != nil }) ?? true else {
            throw Failure(
                .badRequest, "the body has no text, or its title is not a text", hint: "Write it as \(Self.example).")
        }
        let (title, people) = (members["title"]?.string, try members["to"].map(Self.people))
        let recipients = people.map { Set($0.map(\.description)).sorted() } ?? []
        let key = try context.key(
            of: request, for: ["announcement", text, title ?? "", people == nil ? "all" : "some"] + recipients)
        let (document, token) = try await announcements.publish(text, title: title, by: author, to: people, as: key)
        return .json(document, status: .created, at: token)
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "deleting an announcement")
        let text = PercentEncoding.decode(Substring(context.parameters.get("id") ?? "").utf8)
        guard let id = try? TreeKey(text ?? "") else { throw Announcements.missing }
        let token = try await announcements.remove(id)
        return .json(AnnouncementDeletionDocument(id: id.string), at: token)
    }

    private static let example = #"{"text":"Dinner is at seven"}"#

    private static func people(_ value: JSONValue) throws(Failure) -> [UserID] {
        guard case .list(let list) = value else {
            throw Failure(.badRequest, "\"to\" is not a list", hint: #"Write it as {"text":"…","to":["maria","ann"]}."#)
        }
        var people: [UserID] = []
        for element in list {
            guard let uid = element.string.flatMap({ UserID($0) }) else {
                throw Failure(
                    .badUser, "\"to\" has an invalid user id",
                    hint: "Use an id of 1 to 128 of A–Z, a–z, 0–9, _ and -.")
            }
            people.append(uid)
        }
        return people
    }
}
