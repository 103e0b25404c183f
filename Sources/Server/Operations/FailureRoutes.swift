import API
import Access
import Files
import HTTPTypes
import Hummingbird
import Imaging
import Model
import NIOCore
package import Requests
import Transport
package import Tree
package import Uploads

/// `/v1/failures`: files that could not become posts. They can be listed, put back and deleted, as with `tintype
/// inbox`.
package struct FailureRoutes: Sendable {
    /// The permitted widths of previews, in pixels.
    private static let widths = 16...2048

    let files: any PutAsideFiles
    let scheduler: RenderScheduler
    let settings: SharedSettings
    let tree: TreeStore

    package init(
        files: any PutAsideFiles, scheduler: RenderScheduler, settings: SharedSettings, tree: TreeStore
    ) {
        self.files = files
        self.scheduler = scheduler
        self.settings = settings
        self.tree = tree
    }

    package func add(to routes: inout RouteTable) {
        let filter: [Parameter] = [
            .query("reason", .text, "only failures for this reason"),
            .query("user", .userID, "only this user's failures"),
        ]
        let all = filter + [.query("all", .flag, "all, where no reason and no user is given")]
        let errors: [ErrorCode] = [.badRequest, .badUser]
        let list = Endpoint.admin(
            for: "the list of failures",
            "listFailures", in: .operations, "List the files that could not become posts, the newest first",
            filter + .page(of: "failures", from: "before"), answers: [.json(FailureListDocument.self)],
            errors: errors, run: list)
        let dropAll = Endpoint.admin(
            for: "deciding about failures",
            "deleteFailures", in: .operations, "Delete files that could not become posts, for good", all,
            answers: [.json(FailureOutcomeDocument.self)], errors: errors
        ) { request, context in try await changeAll(.drop, context) }
        routes.add("/v1/failures", [.get: list, .delete: dropAll])
        let retryAll = Endpoint.admin(
            for: "deciding about failures",
            "retryFailures", in: .operations, "Put files that could not become posts back into the inbox", all,
            answers: [.json(FailureOutcomeDocument.self)], errors: errors
        ) { request, context in try await changeAll(.retry, context) }
        routes.add("/v1/failures/retry", [.post: retryAll])
        let id = Parameter.path("id", FailureID.schema)
        let one: [ErrorCode] = [.notFound]
        let drop = Endpoint.admin(
            for: "deciding about failures",
            "deleteFailure", in: .operations, "Delete a file that could not become a post, for good", [id],
            answers: [.json(FailureOutcomeDocument.self)], errors: one
        ) { request, context in try await change(.drop, context) }
        routes.add("/v1/failures/{id}", [.delete: drop])
        let retry = Endpoint.admin(
            for: "deciding about failures",
            "retryFailure", in: .operations, "Put a file that could not become a post back into the inbox", [id],
            answers: [.json(FailureOutcomeDocument.self)], errors: one + [.exists]
        ) { request, context in try await change(.retry, context) }
        routes.add("/v1/failures/{id}/retry", [.post: retry])
        let picture = Endpoint.admin(
            for: "a photo that could not become a post",
            "getFailurePicture", in: .operations, "Download a file that could not become a post",
            [id, .query("width", .integer(Self.widths), "for a smaller JPEG, where it can be decoded")],
            answers: [.content("image/*"), .content("application/octet-stream")],
            errors: one + [.badRequest, .corrupt, .truncated, .unsupportedFormat], run: picture)
        routes.add("/v1/failures/{id}/picture", [.get: picture])
    }

    // MARK: List

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (limit, before) = (try context.query.pageLimit(), try FailureCursor.requested(by: context.query))
        let items = try await items(context.query)
        let sorted = items.map { (cursor: FailureCursor($0), item: $0) }.sorted { $1.cursor < $0.cursor }
        let rest = before.map { before in sorted.filter { $0.cursor < before } } ?? sorted
        let page = rest.prefix(limit)
        let users = Set(page.compactMap(\.item.user))
        let names = try await tree.snapshot { snapshot in try Person.names(of: users, in: snapshot) }
        return .json(
            FailureListDocument(
                failures: page.map { _, item in
                    FailureDocument(item, id: FailureID.id(of: item.path), fullName: item.user.flatMap { names[$0] })
                },
                total: items.count, bytes: items.reduce(0) { $0 + ($1.bytes ?? 0) },
                reasons: Dictionary(items.map { ($0.code, 1) }, uniquingKeysWith: +),
                next: rest.count > limit ? page.last?.cursor.text : nil))
    }

    private func items(_ query: RequestFields) async throws -> [FailedFileDocument] {
        let (reason, user) = (query["reason"], query["user"])
        if let user, UserID(user) == nil { throw Failure.noUserID(user) }
        return try await FileThreads.run { [files] () throws(FileError) in
            try files.list(reason: reason, user: user)
        }
    }

    // MARK: Actions

    private enum Act { case retry, drop }

    private func act(_ act: Act, on path: String) async throws {
        try await told { () throws(FileError) in
            try await self.actUntold(act, on: path)
        }
    }

    /// Runs an action on files and reports conflicts to the client: a file that no longer exists, or another one in its
    /// path.
    private func told<R: Sendable>(_ body: () async throws(FileError) -> R) async throws -> R {
        do throws(FileError) {
            return try await body()
        } catch {
            guard [.notFound, .exists].contains(error.code) else { throw error }
            throw Failure(error)
        }
    }

    private func actUntold(_ act: Act, on path: String) async throws(FileError) {
        try await FileThreads.run { [files] () throws(FileError) in
            switch act {
            case .retry: try files.retry(path)
            case .drop: try files.drop(path)
            }
        }
    }

    private func change(_ act: Act, _ context: HTTPContext) async throws -> Response {
        try await self.act(act, on: try FailureID.path(in: context))
        var outcome = FailureOutcomeDocument()
        if act == .retry { outcome.retried = 1 } else { outcome.dropped = 1 }
        return .json(outcome)
    }

    private func changeAll(_ act: Act, _ context: HTTPContext) async throws -> Response {
        let query = context.query
        let isAll = try query.flag("all")
        guard isAll || query["reason"] != nil || query["user"] != nil else {
            throw Failure(.badRequest, "no failures are selected", hint: "Give reason, user or all=true.")
        }
        var outcome = FailureOutcomeDocument()
        for item in try await items(query) {
            do throws(FileError) {
                try await actUntold(act, on: item.path)
                if act == .retry { outcome.retried += 1 } else { outcome.dropped += 1 }
            } catch {
                outcome.failed += 1
                outcome.error = outcome.error ?? Failure(error)
            }
        }
        return .json(outcome)
    }

    // MARK: Preview

    @Sendable private func picture(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let path = try FailureID.path(in: context)
        let width = try Self.width(context.query)
        let (photo, document, byteCount) = try await told { () throws(FileError) in
            try await FileThreads.run { [files] () throws(FileError) in
                let (photo, document) = try files.open(path)
                return (photo, document, try photo.byteCount())
            }
        }
        guard let width else { return try await original(photo, byteCount) }
        // A file that crashed a decoder is not decoded again for a preview.
        guard !ErrorCode(named: document.code).isPoison else {
            throw Failure(.unsupportedFormat, "it broke its decoder", hint: "Fetch it without width.")
        }
        let recipe = try Recipe(name: "look", fit: .inside, width: width, height: width, quality: 75)
        let image: RenderedImage
        do {
            image = try await scheduler.render(
                recipes: [recipe], limits: settings.value.limits, priority: .interactive, for: "admin"
            ) { photo }
        } catch let error as ImageError {
            throw Failure(error, about: document.file)
        }
        guard let rendition = image.renditions.first else {
            throw Failure(.unsupportedFormat, "it has no preview", hint: "Fetch it without width.")
        }
        return Response(
            status: .ok, headers: Self.headers(rendition.format.contentType),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: rendition.bytes)))
    }

    private func original(_ photo: FileReader, _ byteCount: Int) async throws -> Response {
        let start = try await FileThreads.run { () throws(FileError) in try photo.read(at: 0, maxBytes: 64) }
        let type = ImageFormat.detect(start.span)?.contentType ?? "application/octet-stream"
        return Response(status: .ok, headers: Self.headers(type), body: ResponseBody(photo, 0..<byteCount))
    }

    /// Returns header fields that prevent a browser from running or loading anything in the file.
    private static func headers(_ contentType: String) -> HTTPFields {
        [
            .contentType: contentType, .cacheControl: "private, no-store",
            .contentSecurityPolicy: "default-src 'none'; sandbox", .contentDisposition: "attachment",
        ]
    }

    private static func width(_ query: RequestFields) throws(Failure) -> Int? {
        guard let text = query["width"] else { return nil }
        guard let width = Int(text), widths.contains(width) else {
            throw Failure(.badRequest, "width is not between \(widths.lowerBound) and \(widths.upperBound)")
        }
        return width
    }
}
