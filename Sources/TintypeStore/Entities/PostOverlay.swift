#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import TintypeModel

/// Posts as a person sees them: the service's state with the person's own writes laid over it.
struct PostOverlay {
    let records: AccountRecords
    /// The person as the author of new posts and comments.
    let me: Author
    /// The folder of the photos that the device keeps.
    let folder: PhotoFolder

    /// Returns a post; nil if the device does not have it, or if it does not exist any longer.
    ///
    /// - Parameters:
    ///   - id: Either of its ids.
    ///   - stored: Returns a post as the service knows it, by the service's id.
    func post(_ id: Post.ID, stored read: (Post.ID) throws -> Post?) throws -> LocalPost? {
        let real = try records.real(id)
        let stored = real.isLocal ? nil : try read(real)
        let writes = try records.writes(onPost: real)
        var shown = stored.map { LocalPost($0, identity: real) }
        if shown == nil, let draft = writes.lazy.compactMap(\.draft).first(where: { _ in true }) {
            shown = LocalPost(new(draft.draft, by: draft.queued, real: real), identity: draft.draft.id)
            shown?.state = draft.queued.isSent ? .upToDate : .toBeAdded
        }
        guard var shown else { return nil }
        shown = LocalPost(shown.post, identity: try records.identity(real), state: shown.state)
        for queued in writes { try apply(queued, to: &shown) }
        return shown
    }

    /// Returns the ids of the posts that the service does not have yet or does not list yet, the last one first.
    func unlistedPosts() throws -> [Post.ID] {
        try records.writes(on: .list(.feed)).reversed().compactMap { queued in
            guard case .post(let draft) = queued.write else { return nil }
            let real = try records.real(draft.id)
            return try records.place(of: real.rawValue, in: .feed) == nil ? real : nil
        }
    }

    private func new(_ draft: KeptPost, by queued: QueuedWrite, real: Post.ID) -> Post {
        if case .sent(_, let result?) = queued.state, let post = try? Post(document: result) { return post }
        let photos = draft.photos.map { photo in
            var shown = Photo(width: max(1, photo.width ?? 1), height: max(1, photo.height ?? 1))
            shown.alternativeText = photo.alternativeText
            return shown
        }
        var post = Post(id: real, author: me, text: draft.text, photos: photos, timestamp: queued.date)
        post.mentions = draft.mentions
        post.audiences = draft.audiences
        (post.clientTimestamp, post.clientReference) = (queued.date, queued.key)
        (post.counts, post.isLiked) = (Post.Counts(), false)
        return post
    }

    private func apply(_ queued: QueuedWrite, to shown: inout LocalPost) throws {
        if case .post(let post) = queued.write {
            for (index, photo) in post.photos.enumerated() { shown.photoFiles[index] = folder.file(photo) }
        }
        guard queued.isShown else {
            shown.parkedWrites.append(WriteID(rawValue: queued.number))
            return
        }
        let isWaiting = !queued.isSent
        if isWaiting { shown.unsentWrites.append(WriteID(rawValue: queued.number)) }
        switch queued.write {
        case .editPost(let change):
            change.words.apply(to: &shown.post)
            if shown.post.editedAt == nil || isWaiting { shown.post.editedAt = queued.date }
            if isWaiting { shown.state.raise(to: .toBeUpdated) }
        case .deletePost: shown.state = .toBeDeleted
        case .like(_, let isLiked):
            shown.post.setLiked(isLiked)
        case .comment(let draft):
            guard try !isListed(draft.id, on: draft.post) else { break }
            shown.post.counts?.comments += 1
        case .deleteComment(let id, let post):
            guard try isListed(id, on: post) else { break }
            if let counts = shown.post.counts { shown.post.counts?.comments = max(0, counts.comments - 1) }
            let real = try records.real(id)
            shown.post.comments.removeAll { $0.id == real }
        case .post, .editComment, .follow, .block, .readNotifications, .profile, .tree: break
        }
    }

    /// Whether the service's state of a post includes a comment.
    private func isListed(_ id: Comment.ID, on post: Post.ID) throws -> Bool {
        let (real, post) = (try records.real(id), try records.real(post))
        guard !real.isLocal else { return false }
        return try records.number(of: .comment(real, on: post)) != nil
    }
}

extension LocalPost {
    fileprivate init(_ post: Post, identity: Post.ID, state: LocalState) {
        self.init(post, identity: identity)
        self.state = state
    }
}

extension LocalState {
    /// Changes the state, unless it says more already.
    fileprivate mutating func raise(to state: LocalState) { if self == .upToDate { self = state } }
}

extension QueuedWrite {
    /// Whether the service has carried it out.
    var isSent: Bool { if case .sent = state { true } else { false } }

    /// The draft of a new post; nil for other writes.
    fileprivate var draft: (queued: QueuedWrite, draft: KeptPost)? {
        if case .post(let draft) = write { (self, draft) } else { nil }
    }
}

extension PostWords {
    /// Gives a post these words, and its photos this order. Photos that are not named keep theirs, at the end.
    func apply(to post: inout Post) {
        (post.text, post.mentions) = (text, mentions)
        var remaining = post.photos.enumerated().map { index, photo in (number: photo.number ?? index, photo: photo) }
        var ordered: [Photo] = []
        for words in photos {
            guard let index = remaining.firstIndex(where: { $0.number == words.number }) else { continue }
            var photo = remaining.remove(at: index).photo
            photo.alternativeText = words.alternativeText
            photo.number = words.number
            ordered.append(photo)
        }
        post.photos = ordered + remaining.map(\.photo)
    }
}

extension Post {
    /// Changes whether the reader likes the post, and the number of likes with it.
    mutating func setLiked(_ isLiked: Bool) {
        guard (self.isLiked ?? false) != isLiked else { return }
        self.isLiked = isLiked
        guard let counts else { return }
        self.counts?.likes = max(0, counts.likes + (isLiked ? 1 : -1))
    }

    /// Decodes a post from a document.
    init(document: JSONValue) throws {
        self = try JSONDecoder().decode(Post.self, from: JSONEncoder().encode(document))
    }
}
