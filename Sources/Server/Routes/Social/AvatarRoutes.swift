import API
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
package import Social
package import Store
import Transport
import Tree
package import Uploads

/// `/v1/people/{uid}/avatar`: a person's picture, which is processed like a photo of a post.
package struct AvatarRoutes: Sendable {
    private let uploads: UploadReceiver
    private let disk: DiskMonitor
    private let response: UploadResponse
    private let people: People
    private let person: PersonResponse
    private let limits: BodyLimits

    package init(
        _ uploads: UploadReceiver, _ disk: DiskMonitor, _ response: UploadResponse, _ people: People,
        _ database: RealtimeDatabase, limits: BodyLimits
    ) {
        (self.uploads, self.disk, self.response, self.people) = (uploads, disk, response, people)
        person = PersonResponse(people: people, database: database)
        self.limits = limits
    }

    package func add(to routes: inout RouteTable) {
        let uid = Parameter.path("uid", .userID)
        let replace = Endpoint(
            "putAvatar", in: .people, "Replace a person's picture",
            details: "The body is a photo; the picture is a square of 512 pixels at most. For that person or an admin.",
            [uid, .header("Prefer", .text, "`respond-async` answers as soon as the original is durable")],
            body: ["application/octet-stream": .binary],
            answers: [
                .json(PersonDocument.self), .json(UploadDocument.self, .accepted).with(headers: "Location"),
            ],
            errors: UploadForm.photoErrors + [
                .permissionDenied, .notAllowed, .notFound, .wrongState, .deleted, .notConsented, .moderationRefused,
            ],
            run: replace)
        let remove = Endpoint(
            "deleteAvatar", in: .people, "Remove a person's picture", details: "For that person or an admin.", [uid],
            answers: [.json(PersonDocument.self).withToken],
            errors: [.permissionDenied, .notAllowed, .notFound, .wrongState], run: remove)
        routes.add("/v1/people/{uid}/avatar", [.put: replace, .delete: remove])
    }

    @Sendable private func replace(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try disk.gate.check()
        let uid = try context.user()
        try context.require(uid, for: "change another user's picture")
        let upload = try context.begin(.upload)
        defer { withExtendedLifetime(upload) {} }
        guard !request.headers.isMultipart else {
            throw Failure(
                .unsupportedType, "a form is not a picture",
                hint: "Send the picture's bytes as they are, as curl -T does.")
        }
        var pieces = try UploadPieces(context.asking(request), photoName: "avatar", limits: limits)
        guard case .photoBegan(let name)? = try await pieces.next() else {
            throw Failure(.emptyFile, "the picture is empty", hint: "Send the photo's bytes.")
        }
        var reservation = UploadRequest(owner: uid, intake: .socket)
        reservation.purpose = .avatar
        let record = try await uploads.begin(reservation) { start in
            switch consume start {
            case .new(let session): try await Self.receive(&pieces, named: name, in: session)
            case .known(let known): known.record
            }
        }
        return try await response.outcome(of: record, for: request) { _ in
            .json(try await person.document(of: uid, context))
        }
    }

    /// Receives the picture, and deletes the reservation if that fails.
    private static func receive(
        _ pieces: inout UploadPieces, named name: String, in session: consuming UploadSession
    ) async throws -> UploadRecord {
        do {
            try await session.receive(named: name) {
                guard case .photoBytes(let buffer)? = try await pieces.next() else { return nil }
                return buffer
            }
        } catch {
            await session.abandon()
            throw error
        }
        return try await session.accept(text: "")
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "change another user's picture")
        _ = try await person.document(of: uid, context)
        let change = try ProfileChange([ProfileChange.Field.profilePicture.rawValue: .null], isWhole: false)
        let (_, token) = try await people.change(uid, change)
        return .json(try await person.document(of: uid, context), at: token)
    }
}
