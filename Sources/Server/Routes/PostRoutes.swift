import Hummingbird
import Pipeline
import Posts
import Tree

/// `/v1/posts` and `/v1/people`: what was published, newest first.
struct PostRoutes: Sendable {
    private static let defaultLimit = 20
    private static let maxLimit = 200

    private let tree: TreeStore

    init(_ pipeline: UploadPipeline) {
        tree = pipeline.storage.tree
    }

    func add(to router: Router<DoorContext>) {
        router.resource("v1/posts", [.get: listAll])
        router.resource("v1/posts/:id", [.get: show])
        router.resource("v1/people/:uid", [.get: showPerson])
        router.resource("v1/people/:uid/posts", [.get: listOfPerson])
    }

    @Sendable private func show(_ request: Request, _ context: DoorContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let post = try await tree.get(Paths.post(id)) else {
            throw ServerError(.notFound, "there is no such post", hint: "GET /v1/posts lists the newest")
        }
        return .json(post.withPostID(id.key))
    }

    @Sendable private func listAll(_ request: Request, _ context: DoorContext) async throws -> Response {
        try await list(Paths.posts, request)
    }

    @Sendable private func listOfPerson(_ request: Request, _ context: DoorContext) async throws -> Response {
        try await list(Paths.postsOf(try await person(context).uid), request)
    }

    @Sendable private func showPerson(_ request: Request, _ context: DoorContext) async throws -> Response {
        .json(try await person(context).author)
    }

    private func person(_ context: DoorContext) async throws -> Person {
        guard let uid = UserID(context.parameters.get("uid") ?? ""), let person = try await person(uid) else {
            throw ServerError(.notFound, "there is no such person", hint: "a person's first post creates one")
        }
        return person
    }

    /// Reads the two fields that show, not the whole record: the list of a person's posts is part of that.
    private func person(_ uid: UserID) async throws -> Person? {
        try await tree.snapshot { snapshot in
            let path = Paths.person(uid)
            guard let fullName = try snapshot.get(path / "full_name")?.stringValue else { return nil }
            let picture = try snapshot.get(path / "profile_picture")?.stringValue
            return Person(uid: uid, fullName: fullName, profilePicture: picture)
        }
    }

    /// A page of posts whose ids are the keys at `path`. The cursor is an id, so that a page does not shift when posts
    /// are added in front of it.
    private func list(_ path: TreePath, _ request: Request) async throws -> Response {
        let query = try FormFields(queryOf: request.uri)
        let limit = try limit(query)
        var range = KeyRange.all
        if let before = query["before"] {
            guard let cursor = PostID(before) else {
                throw ServerError(.badRequest, "before is no post id", hint: "use \"next\" of the page before")
            }
            range = .before(cursor.key)
        }
        let (posts, next) = try await tree.snapshot { [range] snapshot in
            let keys = try snapshot.keys(of: path, range: range, order: .descending, limit: limit + 1)
            let posts = try keys.prefix(limit).compactMap { key in
                try snapshot.get(Paths.posts / key)?.withPostID(key)
            }
            return (posts, keys.count > limit ? keys[limit - 1] : nil)
        }
        return .json(bytes: PostPage(posts: posts, next: next).json)
    }

    private func limit(_ query: FormFields) throws(ServerError) -> Int {
        guard let text = query["limit"] else { return Self.defaultLimit }
        guard let limit = Int(text), (1...Self.maxLimit).contains(limit) else {
            throw ServerError(.badRequest, "limit is not between 1 and \(Self.maxLimit)")
        }
        return limit
    }
}

/// `{"posts": […], "has_more": …, "next": …}`: written by hand, because the tree's values know no empty list.
private struct PostPage {
    let posts: [TreeValue]
    /// The cursor of the page after this one.
    let next: TreeKey?

    var json: [UInt8] {
        var bytes = Array("{\"posts\":[".utf8)
        bytes += posts.map { $0.json() }.joined(separator: ",".utf8)
        bytes += "],\"has_more\":\(next != nil)".utf8
        if let next { bytes += ",\"next\":\"\(next)\"".utf8 }
        return bytes + "}".utf8
    }
}

extension TreeValue {
    /// A post with its id in it, which in the tree is its key.
    fileprivate func withPostID(_ id: TreeKey) -> TreeValue {
        var fields = object ?? [:]
        fields["post_id"] = .string(id.string)
        return .object(fields)
    }
}
