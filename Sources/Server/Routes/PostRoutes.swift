import API
import Hummingbird
import Pipeline
import Posts
import Tree

/// `/v1/posts` and `/v1/people`: what was published, newest first.
struct PostRoutes: Sendable {
    private static let defaultLimit = 20
    private static let maxLimit = 200
    /// How many records that are no posts a page passes over before it ends short of its limit.
    private static let maxSkipped = 100

    /// What may be said about a page.
    private static let pageNames = ["limit", "before"]

    private let tree: TreeStore
    private let publisher: Publisher
    private let index: PhotoIndex
    private let admission: Admission

    init(_ service: UploadService, _ admission: Admission) {
        tree = service.tree
        publisher = service.publisher
        index = service.index
        self.admission = admission
    }

    func add(to router: Router<RequestContext>) {
        router.resource("v1/posts", [.get: listAll])
        router.resource("v1/posts/:id", [.get: show, .delete: remove])
        router.resource("v1/people/:uid", [.get: showPerson])
        router.resource("v1/people/:uid/posts", [.get: listOfPerson])
    }

    @Sendable private func show(_ request: Request, _ context: RequestContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let post = try await tree.get(Paths.post(id)) else {
            throw Failure(.notFound, "there is no such post", hint: "GET /v1/posts lists the newest")
        }
        if let fault = PostShape.fault(of: post) {
            throw Failure(
                .notFound, "posts/\(id) is no post: \(fault)", hint: "a client of the database wrote it; mend it there")
        }
        return .json(post.withPostID(id.key))
    }

    /// Deletes a post, for whoever may delete it in the database.
    @Sendable private func remove(_ request: Request, _ context: RequestContext) async throws -> Response {
        let parameters = try DatabaseParameters(query: request.uri.query)
        _ = try admission.admit(request.head, parameters, isTrusted: context.isTrusted)
        guard let id = PostID(context.parameters.get("id") ?? "") else {
            throw Failure(.notFound, "there is no such post", hint: "GET /v1/posts lists the newest")
        }
        let end = try await publisher.deletePost(id)
        return .json(["post_id": .string(id.description), "deleted": true, "files_until": .integer(end)])
    }

    @Sendable private func listAll(_ request: Request, _ context: RequestContext) async throws -> Response {
        try await list(Paths.posts, FormFields(queryOf: request.uri, names: Self.pageNames))
    }

    @Sendable private func listOfPerson(_ request: Request, _ context: RequestContext) async throws -> Response {
        let uid = try await person(context).uid
        let query = try FormFields(queryOf: request.uri, names: Self.pageNames + ["sha256"])
        guard let hashes = query["sha256"] else { return try await list(Paths.postsOf(uid), query) }
        return .json(bytes: try await page(of: uid, showing: hashes.split(separator: " ").map(String.init)).json)
    }

    /// The page with the person's post that shows the photos with these hashes, and no others; or an empty one.
    private func page(of uid: UserID, showing hashes: [String]) async throws -> PostPage {
        let digits = Set("0123456789abcdef".utf8)
        guard !hashes.isEmpty, hashes.allSatisfy({ $0.utf8.count == 64 && $0.utf8.allSatisfy(digits.contains) }) else {
            throw Failure(
                .badRequest, "sha256 is not the SHA-256 of a photo",
                hint: "64 hexadecimal digits in lower case; of several photos, with spaces between")
        }
        let id = try await index.post(of: uid, showing: hashes)
        return try await tree.snapshot { snapshot in
            try PostPage(of: id.map { [$0.key] } ?? [], in: snapshot, limit: 1)
        }
    }

    @Sendable private func showPerson(_ request: Request, _ context: RequestContext) async throws -> Response {
        .json(try await person(context).author)
    }

    private func person(_ context: RequestContext) async throws -> Person {
        guard let uid = UserID(context.parameters.get("uid") ?? ""), let person = try await person(uid) else {
            throw Failure(.notFound, "there is no such person", hint: "a person's first post creates one")
        }
        return person
    }

    /// Reads the two fields that show, not the whole record: the list of a person's posts is part of that.
    private func person(_ uid: UserID) async throws -> Person? {
        try await tree.snapshot { snapshot in
            let path = Paths.person(uid)
            guard try snapshot.exists(path) else { return nil }
            // Clients write here, too: who has no name that can be read goes by the id.
            let fullName = try snapshot.get(path / "full_name")?.stringValue
            let picture = try snapshot.get(path / "profile_picture")?.stringValue
            return Person(uid: uid, fullName: fullName, profilePicture: picture)
        }
    }

    /// A page of posts whose ids are the keys at `path`. The cursor is an id, so that a page does not shift when posts
    /// are added in front of it.
    private func list(_ path: TreePath, _ query: FormFields) async throws -> Response {
        let limit = try limit(query)
        var range = KeyRange.all
        if let before = query["before"] {
            guard let cursor = try? TreeKey(before) else {
                throw Failure(.badRequest, "before is no post id", hint: "use \"next\" of the page before")
            }
            range = .before(cursor)
        }
        let page = try await tree.snapshot { [range] snapshot in
            try PostPage(of: path, range, in: snapshot, limit: limit, maxSkipped: Self.maxSkipped)
        }
        return .json(bytes: page.json)
    }

    private func limit(_ query: FormFields) throws(Failure) -> Int {
        guard let text = query["limit"] else { return Self.defaultLimit }
        guard let limit = Int(text), (1...Self.maxLimit).contains(limit) else {
            throw Failure(.badRequest, "limit is not between 1 and \(Self.maxLimit)")
        }
        return limit
    }
}

extension TreeValue {
    /// A post with its id in it, which in the tree is its key.
    func withPostID(_ id: TreeKey) -> TreeValue {
        var fields = object ?? [:]
        fields["post_id"] = .string(id.string)
        return .object(fields)
    }
}
