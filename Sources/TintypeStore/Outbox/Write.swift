import TintypeModel

/// A change that a person makes on the device, and that the service is to make, too.
enum Write: Codable, Hashable, Sendable {
    /// A new post.
    case post(KeptPost)
    /// Other words of a post, or another order of its photos.
    case editPost(PostChange)
    case deletePost(Post.ID)
    /// Whether the person likes a post.
    case like(Post.ID, isLiked: Bool)
    /// Whether the person follows another.
    case follow(Person.ID, isFollowed: Bool)
    /// Whether the person has blocked another.
    case block(Person.ID, isBlocked: Bool)
    case comment(CommentDraft)
    case editComment(CommentChange)
    case deleteComment(Comment.ID, on: Post.ID)
    /// Marks notifications as read, up to one; nil for all that were there.
    case readNotifications(upTo: SocialNotification.ID?)
    /// The person's own name and text; nil for what stays.
    case profile(name: String?, bio: String?)
    /// Values of the tree.
    case tree(TreeWrite)
}

/// A new post with the photos that the device keeps for it.
struct KeptPost: Codable, Hashable, Sendable {
    let id: Post.ID
    var text: String?
    var mentions: [Mention] = []
    let audiences: [Audience.ID]
    var photos: [KeptPhoto] = []
}

/// A photo that the device keeps until its post is published.
struct KeptPhoto: Codable, Hashable, Sendable {
    /// The name of the file in the store's folder.
    let name: String
    /// The number of bytes.
    let count: Int64
    var alternativeText: String?
    let width: Int?
    let height: Int?
}

/// The words of a post, and the order of its photos.
struct PostWords: Codable, Hashable, Sendable {
    var text: String?
    var mentions: [Mention] = []
    var photos: [PhotoWords] = []

    /// The words of a post as the service knows it.
    init(of post: Post) {
        (text, mentions) = (post.text, post.mentions)
        photos = post.photos.enumerated().map { index, photo in
            PhotoWords(number: photo.number ?? index, alternativeText: photo.alternativeText)
        }
    }

    /// A photo by the position at which it was published.
    struct PhotoWords: Codable, Hashable, Sendable {
        let number: Int
        var alternativeText: String?
    }
}

/// Other words of a post, and those on which they are based.
struct PostChange: Codable, Hashable, Sendable {
    let id: Post.ID
    let base: PostWords
    var words: PostWords
}

struct CommentDraft: Codable, Hashable, Sendable {
    let id: Comment.ID
    let post: Post.ID
    var text: String
    var mentions: [Mention] = []
}

/// Another text of a comment, and the one on which it is based.
struct CommentChange: Codable, Hashable, Sendable {
    let id: Comment.ID
    let post: Post.ID
    let base: String
    var text: String
    var mentions: [Mention] = []
}

/// Values of the tree that are written in one step.
struct TreeWrite: Codable, Hashable, Sendable {
    /// The path of a node, at or above all values.
    let path: String
    /// The values by their paths below the node, or one value with the empty path for the node itself. Null removes.
    let values: [String: JSONValue]
    /// The value of the node on which the write is based; nil for a write without a condition.
    var base: JSONValue?
}

extension Write {
    /// The entities and lists that it changes or needs.
    var subjects: [Subject] { subjects(post: { $0 }, comment: { $0 }) }

    /// Returns the entities and lists that it changes or needs.
    ///
    /// - Parameters:
    ///   - post: Returns the id by which a post is named, for each of the ids that it may have.
    ///   - comment: The same for a comment.
    func subjects(
        post: (Post.ID) throws -> Post.ID, comment: (Comment.ID) throws -> Comment.ID
    ) rethrows -> [Subject] {
        switch self {
        case .post(let draft): return [.post(try post(draft.id)), .list(.feed)]
        case .editPost(let change): return [.post(try post(change.id))]
        case .deletePost(let id), .like(let id, _): return [.post(try post(id))]
        case .follow(let id, _), .block(let id, _): return [.person(id)]
        case .comment(let draft):
            let id = try post(draft.post)
            return [.comment(try comment(draft.id), on: id), .comments(on: id), .post(id)]
        case .editComment(let change):
            let id = try post(change.post)
            return [.comment(try comment(change.id), on: id), .comments(on: id)]
        case .deleteComment(let deleted, on: let owner):
            let id = try post(owner)
            return [.comment(try comment(deleted), on: id), .comments(on: id), .post(id)]
        case .readNotifications: return [.list(.notifications)]
        case .profile: return [.profile]
        case .tree(let write): return [.node(write.path)]
        }
    }

    /// The post that must be published before the write can be sent; nil for none.
    var neededPost: Post.ID? {
        switch self {
        case .editPost(let change): change.id
        case .deletePost(let id), .like(let id, _), .deleteComment(_, let id): id
        case .comment(let draft): draft.post
        case .editComment(let change): change.post
        case .post, .follow, .block, .readNotifications, .profile, .tree: nil
        }
    }

    /// The comment that the service must know before the write can be sent; nil for none.
    var neededComment: Comment.ID? {
        switch self {
        case .editComment(let change): change.id
        case .deleteComment(let id, _): id
        default: nil
        }
    }

    /// The order in which it is sent.
    var lane: Lane { if case .post = self { .posts } else { .others } }

    /// Writes of one lane are sent one after the other. Photos take long: other writes do not wait for them.
    enum Lane: String, CaseIterable, Sendable {
        case posts
        case others

        /// The number of writes that are chosen at once. They cannot be taken back while they are being sent.
        var batchCount: Int { self == .posts ? 1 : 100 }
    }
}
