import API
import Model
import Tree

/// An existing post as the subject of an action.
struct ExistingPost {
    private let id: PostID
    private let snapshot: TreeSnapshot

    /// Finds a post.
    ///
    /// - Parameter uid: The person who acts; nil for none.
    /// - Throws: `Failure` with the code `not_found`, or `audience_post` for a post for audiences that the person may
    ///   read.
    init(_ id: PostID, for uid: UserID? = nil, in snapshot: TreeSnapshot) throws {
        guard try snapshot.exists(PostNodes.post(id)) else {
            if let uid, let post = try snapshot.get(AudienceNodes.post(id)),
                try post["author"]?["uid"]?.stringValue == uid.description
                    || snapshot.commonAudience(of: uid, and: post) != nil
            {
                throw Failure(
                    .audiencePost, "posts for audiences have neither likes nor comments",
                    hint: "Use a post for everybody.")
            }
            throw Failure(.notFound, "there is no such post", hint: "List the newest with GET /v1/posts.")
        }
        self.id = id
        self.snapshot = snapshot
    }

    /// Checks that the post's author and a person have no block between them.
    ///
    /// - Parameter what: The intended action, such as "like this post".
    /// - Throws: `Failure` with the code `blocked`.
    func requireOpen(to uid: UserID, who what: String) throws {
        guard let text = try snapshot.get(PostNodes.post(id) / "author" / "uid")?.stringValue,
            let author = UserID(text),
            author != uid
        else { return }
        guard try !author.hasBlock(with: uid, in: snapshot) else {
            throw Failure(
                .blocked, "\(uid) may not \(what)",
                hint: "The post's author has blocked the person, or the person has blocked the author.")
        }
    }
}
