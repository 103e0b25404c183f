import API
import Access
package import Database
import HTTPTypes
import Hummingbird
package import Keeping
import Model
package import Requests
import Transport
package import Tree
package import Uploads

/// `/v1/posts/{id}`: a post, and its originals.
package struct PostRoutes: Sendable {
    let tree: TreeStore
    let store: UploadStore
    let publisher: Publisher
    let tools: PostTools
    let media: MediaAccess
    let database: RealtimeDatabase

    package init(
        tree: TreeStore, store: UploadStore, publisher: Publisher, tools: PostTools, media: MediaAccess,
        database: RealtimeDatabase
    ) {
        self.tree = tree
        self.store = store
        self.publisher = publisher
        self.tools = tools
        self.media = media
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint(
            "getPost", in: .posts, "Get a post", [.path("id", .postID)],
            answers: [.json(PostDocument.self).with(headers: "ETag")],
            errors: [.permissionDenied, .notFound], run: show)
        let remove = Endpoint(
            "deletePost", in: .posts, "Delete a post, and all references to it",
            [.path("id", .postID), .idempotencyKey],
            answers: [.json(DeletionDocument.self)], errors: [.permissionDenied, .notAllowed, .notFound] + .ofKeys,
            run: remove)
        routes.add("/v1/posts/{id}", [.get: show, .patch: edition, .delete: remove])
        let originals = Endpoint(
            "listOriginals", in: .posts, "List signed addresses of a post's originals",
            details: "For its author or an admin.",
            [
                .path("id", .postID),
                .query(
                    "location", .one(of: MediaLocation.self),
                    "`keep` for the files as they are stored; by default their location is removed"),
            ], answers: [.json(OriginalsDocument.self)],
            errors: [.permissionDenied, .notAllowed, .notFound],
            run: listOriginals)
        routes.add("/v1/posts/{id}/originals", [.get: originals])
        let scrub = Endpoint(
            "scrubPost", in: .posts, "Remove the location from a post's stored originals, for good",
            details: "For its author or an admin.",
            [.path("id", .postID), .query("check", .flag, "whether only to report the locations to remove")],
            answers: [.json(ScrubbedPostDocument.self)],
            errors: [.permissionDenied, .notAllowed, .notFound, .cannotScrub], run: scrub)
        routes.add("/v1/posts/{id}/scrub", [.post: scrub])
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        let post = try await post(id, context)
        return try answer(post, id)
    }

    /// Returns the response with a post and its ETag.
    ///
    /// - Throws: `Failure` with the code `not_found` for a record that is not a post.
    func answer(_ post: ReadablePost, _ id: PostID, at token: SyncToken? = nil) throws(Failure) -> Response {
        if let fault = PostShape.fault(of: post.record) { throw Failure.noPost(id, because: fault) }
        let record = post.record.shown(withID: id.key, post.times)
        let shown = media.signed(record, id: id.key, isRestricted: post.isRestricted)
        var response = Response.json(PostDocument(shown), at: token)
        response.headers[.eTag] = post.etag
        return response
    }

    /// Deletes a post, for its author or an admin.
    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        let end = try await publisher.deletePost(id, by: context.identity, as: try context.key(of: request))
        return .json(DeletionDocument(postID: id.description, filesUntil: end.milliseconds))
    }

    /// Returns the originals of a post, if the requester may fetch them.
    @Sendable private func listOriginals(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        _ = try await post(id, context)
        let location = try MediaLocation(context.query["location"])
        // A post that a client of the database wrote has no upload.
        let upload = try await store.record(of: id)
        let names = try upload?.originals ?? []
        let isForOthers = try await tree.snapshot { snapshot in
            try names.contains { try AudienceMedia.reach(of: $0, by: context.identity, in: snapshot) == .others }
        }
        let isBlurred = upload?.photos.values.contains(where: \.isBlurred) ?? false
        let mayRead = names.allSatisfy { name in
            media.mayRead(name, byteCount: 0, contentType: "", by: context.identity)
                && (!isBlurred || media.isOwn(name, context.identity))
        }
        guard mayRead, !isForOthers else {
            throw Failure.notAllowed("fetch the originals of another user's post")
        }
        guard location == .remove || names.allSatisfy({ media.isOwn($0, context.identity) }) else {
            throw MediaRoutes.keepsLocation
        }
        return .json(OriginalsDocument(postID: id.description, urls: names.map { media.address(of: $0, location) }))
    }

    /// Removes the location from a post's originals, for its author or an admin.
    @Sendable private func scrub(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        _ = try await post(id, context)
        let job = OriginalScrub(tools, isCheck: try context.query.flag("check"))
        let photos = try await job.scrub(id, by: context.identity)
        return .json(ScrubbedPostDocument(postID: id.description, photos: photos))
    }

    func post(_ id: PostID, _ context: HTTPContext) async throws -> ReadablePost {
        try await ReadablePost(id, of: tree, database, context)
    }
}
