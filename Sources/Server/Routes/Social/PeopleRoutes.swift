import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
package import Social
import Transport
import Tree
import Uploads

/// `/v1/people`: the people, and their profiles.
package struct PeopleRoutes: Sendable {
    private static let maxBodyBytes = 65_536

    private let people: People
    private let response: PersonResponse
    private let database: RealtimeDatabase

    package init(_ people: People, _ database: RealtimeDatabase) {
        self.people = people
        response = PersonResponse(people: people, database: database)
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let search = Parameter.query(
            "search", .text(upTo: 400),
            "the beginning of a name, in any case and without accents; of its first word, or of its last")
        let list = Endpoint(
            "listPeople", in: .people, "List people, in the order of their ids, or by name",
            [search] + .page(of: "people", from: "after"),
            answers: [.json(PeoplePageDocument.self).withToken], errors: [.permissionDenied],
            run: list)
        routes.add("/v1/people", [.get: list])
        let uid = Parameter.path("uid", .userID)
        let show = Endpoint(
            "getPerson", in: .people, "Get a person", [uid], answers: [.json(PersonDocument.self)],
            errors: [.permissionDenied, .notFound],
            run: show)
        let answers: [AnswerDescription] = [
            .json(PersonDocument.self).withToken,
            .json(PersonDocument.self, .created).withToken,
        ]
        let errors: [ErrorCode] =
            [
                .badText, .permissionDenied, .notAllowed, .notFound, .wrongState, .tooLarge, .unsupportedType,
            ] + .ofKeys
        let replace = Endpoint(
            "putPerson", in: .people, "Create a person's profile, or replace it",
            details: "Missing fields are removed. For that person or an admin.", [uid, .idempotencyKey],
            body: ["application/json": .profile(required: [.fullName])], answers: answers, errors: errors
        ) { request, context in try await self.change(request, context, isWhole: true) }
        let change = Endpoint(
            "updatePerson", in: .people, "Change a person's profile, field by field",
            details: "For that person or an admin.", [uid, .idempotencyKey],
            body: ["application/json": .profile(required: [])], answers: answers, errors: errors
        ) { request, context in try await self.change(request, context, isWhole: false) }
        let receipt = AnswerDescription.json(PersonDeletionDocument.self, .accepted).with(headers: "Location")
        let delete = Endpoint(
            "deletePerson", in: .people, "Begin to delete a person, and all data of them or about them",
            details: "For that person or an admin.", [uid],
            answers: [receipt], errors: [.permissionDenied, .notAllowed, .notFound], run: delete)
        routes.add("/v1/people/{uid}", [.get: show, .put: replace, .patch: change, .delete: delete])
        let showDeletion = Endpoint(
            "getPersonDeletion", in: .people, "Get the progress of the latest deletion of a person",
            details: "For that person or an admin.", [uid],
            answers: [.json(PersonDeletionDocument.self)], errors: [.permissionDenied, .notAllowed, .notFound],
            run: showDeletion)
        routes.add("/v1/people/{uid}/deletion", [.get: showDeletion])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await database.session(as: context.identity).judgeRead(of: PeopleNodes.person())
        let (cursor, limit) = (try context.query.peopleCursor(), try context.query.pageLimit())
        guard let text = context.query["search"] else {
            return .page(try await people.list(after: cursor, limit: limit))
        }
        guard let prefix = NamePrefix(text) else {
            throw Failure(
                .badRequest, "search is not the beginning of a name",
                hint: "Give some letters, or leave it out for everybody.")
        }
        return .page(try await people.search(prefix, after: cursor, limit: limit))
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        .json(try await response.readable(of: try context.user(), context))
    }

    private func change(_ request: Request, _ context: HTTPContext, isWhole: Bool) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "change another user's profile")
        let fields = try await context.jsonObject(of: request, upTo: Self.maxBodyBytes)
        let (isNew, token) = try await people.change(
            uid, try ProfileChange(fields, isWhole: isWhole), as: try context.key(of: request, with: fields))
        return .json(try await response.document(of: uid, context), status: isNew ? .created : .ok, at: token)
    }

    @Sendable private func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "delete another user")
        let deletion = try await people.delete(uid)
        return .json(
            PersonDeletionDocument(deletion), status: .accepted, headers: [.location: "/v1/people/\(uid)/deletion"])
    }

    @Sendable private func showDeletion(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "see the deletion of another user")
        guard let deletion = try await people.deletion(of: uid) else {
            throw Failure(.notFound, "\(uid) has not been deleted", hint: "Begin it with DELETE /v1/people/{uid}.")
        }
        return .json(PersonDeletionDocument(deletion))
    }
}

extension Schema {
    /// Returns the schema of a profile.
    fileprivate static func profile(required: [ProfileChange.Field]) -> Schema {
        let fields = Dictionary(
            uniqueKeysWithValues: ProfileChange.Field.allCases.map { field in
                let text = Schema.text(upTo: field.maxLength)
                return (field.rawValue, field == .fullName ? text : .any(text, .null))
            })
        return .object(fields, required: required.map(\.rawValue))
            .named(required.isEmpty ? "ProfileChange" : "NewProfile")
    }
}

extension PersonDeletionDocument {
    fileprivate init(_ deletion: PersonDeletion) {
        func count(_ part: PersonDeletion.Part) -> Int { deletion.counts[part] ?? 0 }
        let removed = Removed(
            uploads: count(.uploads), posts: count(.posts) + count(.audiencePosts), comments: count(.comments),
            likes: count(.likes), flags: count(.flags), following: count(.following), followers: count(.followers),
            blocks: count(.blocks), notifications: count(.notifications), feed: count(.feed))
        self.init(
            uid: deletion.uid.description, began: deletion.began.milliseconds, ended: deletion.ended?.milliseconds,
            removed: removed)
    }
}
