import API
import Access
import Database
import HTTPTypes
import Hummingbird
import Pipeline
import Posts
import Tree

/// `/v1/posts` and `/v1/people/{uid}/posts`: what was published, the newest first.
struct PostRoutes: Sendable {
    private static let defaultLimit = 20

    private let posts: PostReader
    private let service: UploadService
    private let media: MediaAccess
    private let database: RealtimeDatabase

    init(_ service: UploadService, _ media: MediaAccess, _ database: RealtimeDatabase) {
        posts = PostReader(service.tree)
        self.service = service
        self.media = media
        self.database = database
    }

    func add(to routes: inout RouteTable) {
        let page: [Parameter] = [
            .query("limit", .integer(1...PostPageDocument.maxPosts), "the largest number of posts"),
            .query("before", .text, "the `next` of the page before"),
        ]
        let list = Operation(
            "The newest posts.", page, answers: [.json(PostPageDocument.self).with(headers: "Tintype-Token")],
            run: listAll)
        routes.add("/v1/posts", [.get: list])
        let show = Operation(
            "A post.", [.path("id", .postID)], answers: [.json(PostDocument.self)], errors: [.notFound], run: show)
        let remove = Operation(
            "Deletes a post, and all that names it.", [.path("id", .postID)],
            answers: [.json(DeletionDocument.self)], errors: [.notAllowed, .notFound], run: remove)
        routes.add("/v1/posts/{id}", [.get: show, .delete: remove])
        let originals = Operation(
            "The originals of a post, by signed addresses for its author or an admin.",
            [
                .path("id", .postID),
                .query(
                    "location", .one(of: MediaLocation.self),
                    "`keep` for the files as they are stored; else they are without the place where they were taken"),
            ], answers: [.json(OriginalsDocument.self)], errors: [.notAllowed, .notFound],
            run: listOriginals)
        routes.add("/v1/posts/{id}/originals", [.get: originals])
        let scrub = Operation(
            "Takes the place where they were taken out of a post's stored originals, for good; for its author or an admin.",
            [.path("id", .postID), .query("check", .flag, "whether only to look what there is to remove")],
            answers: [.json(ScrubbedPostDocument.self)], errors: [.notAllowed, .notFound, .cannotScrub], run: scrub)
        routes.add("/v1/posts/{id}/scrub", [.post: scrub])
        let hashes = Parameter.query(
            "sha256", .text(matching: "^[0-9a-f]{64}( [0-9a-f]{64})*$"), "only the post that shows exactly these photos"
        )
        let listOfPerson = Operation(
            "The newest posts of a person.", [.path("uid", .userID), hashes] + page,
            answers: [.json(PostPageDocument.self).with(headers: "Tintype-Token")], errors: [.notFound],
            run: listOfPerson)
        routes.add("/v1/people/{uid}/posts", [.get: listOfPerson])
    }

    @Sendable private func show(_ request: Request, _ context: RequestContext) async throws -> Response {
        let id = try postID(context)
        try await require(Paths.post(id), context)
        guard let post = try await posts.record(of: id) else { throw Self.noPost }
        if let fault = PostShape.fault(of: post) {
            throw Failure(
                .notFound, "posts/\(id) is no post: \(fault)", hint: "a client of the database wrote it; mend it there")
        }
        return .json(PostDocument(media.signed(post.withPostID(id.key))))
    }

    /// Deletes a post, for its author or an admin.
    @Sendable private func remove(_ request: Request, _ context: RequestContext) async throws -> Response {
        let id = try postID(context)
        let end = try await service.publisher.deletePost(id, by: context.identity)
        return .json(DeletionDocument(postID: id.description, filesUntil: end))
    }

    /// The originals of a post, for those who may fetch them.
    @Sendable private func listOriginals(_ request: Request, _ context: RequestContext) async throws -> Response {
        let id = try postID(context)
        try await require(Paths.post(id), context)
        guard try await posts.record(of: id) != nil else { throw Self.noPost }
        let location = try MediaLocation(context.query["location"])
        // A post that a client of the database wrote has none.
        let upload = try await service.store.record(of: id)
        let names = try upload?.originals ?? []
        guard names.allSatisfy({ media.mayRead($0, byteCount: 0, contentType: "", by: context.identity) }) else {
            throw Failure.notAllowed("fetch the originals of what somebody else has posted")
        }
        guard location == .remove || names.allSatisfy({ media.mayKeepLocation(of: $0, context.identity) }) else {
            throw MediaRoutes.keepsLocation
        }
        return .json(OriginalsDocument(postID: id.description, urls: names.map { media.address(of: $0, location) }))
    }

    /// Takes the place out of a post's originals, for its author or an admin.
    @Sendable private func scrub(_ request: Request, _ context: RequestContext) async throws -> Response {
        let id = try postID(context)
        try await require(Paths.post(id), context)
        let job = OriginalScrub(service, isCheck: try context.query.flag("check"))
        let photos = try await job.scrub(id, by: context.identity)
        return .json(ScrubbedPostDocument(postID: id.description, photos: photos))
    }

    private func postID(_ context: RequestContext) throws(Failure) -> PostID {
        guard let id = PostID(context.parameters.get("id") ?? "") else { throw Self.noPost }
        return id
    }

    private static let noPost = Failure(
        .notFound, "there is no such post", hint: "GET /v1/posts lists the newest")

    /// Sees to it that whoever sends a request may read what stands at a path.
    private func require(_ path: TreePath, _ context: RequestContext) async throws {
        try await database.session(as: context.identity).judgeRead(of: path)
    }

    @Sendable private func listAll(_ request: Request, _ context: RequestContext) async throws -> Response {
        try await require(Paths.posts, context)
        return try await list(nil, context.query)
    }

    @Sendable private func listOfPerson(_ request: Request, _ context: RequestContext) async throws -> Response {
        try await require(Paths.posts, context)
        let uid = try await person(context).uid
        guard let hashes = context.query["sha256"] else { return try await list(uid, context.query) }
        _ = (try limit(context.query), try await cursor(context.query))  // Unused here, but invalid values are refused.
        return page(try await page(of: uid, showing: hashes.split(separator: " ").map(String.init)))
    }

    /// The page with the person's post that shows the photos with these hashes, and no others; or an empty one.
    private func page(of uid: UserID, showing hashes: [String]) async throws -> PostPage {
        let digits = Set("0123456789abcdef".utf8)
        guard !hashes.isEmpty, hashes.allSatisfy({ $0.utf8.count == 64 && $0.utf8.allSatisfy(digits.contains) }) else {
            throw Failure(
                .badRequest, "sha256 is not the SHA-256 of a photo",
                hint: "64 hexadecimal digits in lower case; of several photos, with spaces between")
        }
        return try await posts.page(of: try await service.index.post(of: uid, showing: hashes))
    }

    private func person(_ context: RequestContext) async throws -> Person {
        let uid = try context.user()
        try await require(Paths.person(uid), context)
        guard let person = try await posts.person(uid) else { throw Failure.noSuchPerson }
        return person
    }

    /// A page of all posts, or of one author's.
    private func list(_ author: UserID?, _ query: FormFields) async throws -> Response {
        let limit = try limit(query)
        let cursor = try await cursor(query)
        return page(try await posts.page(by: author, before: cursor, limit: limit))
    }

    /// Where a page begins: behind the page before, or behind a post that is named by its id.
    private func cursor(_ query: FormFields) async throws -> PostPosition? {
        guard let before = query["before"] else { return nil }
        if let position = PostPosition(cursor: before) { return position }
        if let id = try? TreeKey(before), let position = try await posts.position(of: id) { return position }
        throw Failure(.badRequest, "before is neither a cursor nor a post", hint: "use \"next\" of the page before")
    }

    private func limit(_ query: FormFields) throws(Failure) -> Int {
        guard let text = query["limit"] else { return Self.defaultLimit }
        guard let limit = Int(text), (1...PostPageDocument.maxPosts).contains(limit) else {
            throw Failure(.badRequest, "limit is not between 1 and \(PostPageDocument.maxPosts)")
        }
        return limit
    }

    /// A page, with the position in the change log from which whoever follows the changes misses nothing.
    private func page(_ page: PostPage) -> Response {
        var headers = HTTPFields()
        headers[.tintypeToken] = page.token?.description
        var document = PostPageDocument(page)
        if !media.rules.inForce.areRenditionsPublic {
            document.posts = document.posts.map { PostDocument(media.signed($0.value)) }
        }
        return .json(bytes: document.json(isSorted: false), headers: headers)
    }
}
