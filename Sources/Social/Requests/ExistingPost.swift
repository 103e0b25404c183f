import API
import Model
import Tree

/// A post that is there, for whoever is about to do something with it.
struct ExistingPost {
    private let id: PostID
    private let snapshot: TreeSnapshot

    /// Finds a post.
    ///
    /// - Parameter uid: Who is about to do something; nil for nobody in particular.
    /// - Throws: `Failure` with the code `not_found`, or for who may read the post `audience_post` if it is one for audiences.
    init(_ id: PostID, for uid: UserID? = nil, in snapshot: TreeSnapshot) throws {
        guard try snapshot.exists(PostNodes.post(id)) else {
            if let uid, let post = try snapshot.get(AudienceNodes.post(id)),
                try post["author"]?["uid"]?.stringValue == uid.description
                    || snapshot.commonAudience(of: uid, and: post) != nil
            {
                throw Failure(
                    .audiencePost, "posts for audiences have neither likes nor comments",
                    hint: "they are for posts that are for everybody")
            }
            throw Failure(.notFound, "there is no such post", hint: "GET /v1/posts lists the newest")
        }
        self.id = id
        self.snapshot = snapshot
    }

    /// Sees to it that neither its author has blocked somebody, nor they its author.
    ///
    /// - Parameter what: What they are about to do, such as "like this post".
    /// - Throws: `Failure` with the code `blocked`.
    func requireOpen(to uid: UserID, who what: String) throws {
        guard let text = try snapshot.get(PostNodes.post(id) / "author" / "uid")?.stringValue,
            let author = UserID(text),
            author != uid
        else { return }
        guard try !author.hasBlock(with: uid, in: snapshot) else {
            throw Failure(
                .blocked, "\(uid) may not \(what)",
                hint: "nobody may who is blocked by its author, or has blocked its author")
        }
    }
}
