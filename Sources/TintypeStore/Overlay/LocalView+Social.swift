public import TintypeModel

/// A comment on the device: as the service knows it, with the person's own writes laid over it.
public struct LocalComment: Hashable, Sendable, Identifiable {
    /// The identity for lists: it stays the same when the service gives the comment an id.
    public let id: Comment.ID
    /// The comment; its own id is the service's as soon as there is one.
    public var comment: Comment
    /// The state compared with what the service knows.
    public var state = LocalState.upToDate
    /// The writes on it that wait for the person: refused ones and conflicts. Mostly empty.
    public var parkedWrites: [WriteID] = []

    /// Creates a comment as it would be on a device, for previews and tests of an app.
    public init(_ comment: Comment, state: LocalState = .upToDate) {
        self.init(id: comment.id, comment: comment)
        self.state = state
    }

    init(id: Comment.ID, comment: Comment) { (self.id, self.comment) = (id, comment) }
}

/// The notifications of a person, with the number of unread ones.
public struct NotificationList: Hashable, Sendable {
    /// The notifications that the device has, the newest first.
    public var notifications: [SocialNotification] = []
    /// The number of all unread notifications.
    public var unreadCount = 0
    /// Whether there are older ones, for `LocalStore.loadOlderNotifications()`.
    public var hasOlder = false

    /// Creates a list without notifications.
    public init() {}
}

extension LocalView {
    /// Returns a comment as the person sees it; nil if the device does not have it.
    func comment(_ id: Comment.ID, on post: Post.ID) throws -> LocalComment? {
        try comments(on: post).first { try $0.id == records.identity(id) || $0.comment.id == id }
    }

    /// Returns the comments on a post as the person sees them, the oldest first.
    func comments(on post: Post.ID) throws -> [LocalComment] {
        let (real, local) = (try records.real(post), try records.identity(post))
        for id in [real, local] { depend(on: .comments(on: id)) }
        depend(on: .list(.comments(on: real)))
        var comments = try records.entries(of: .comments(on: real), isAscending: true).compactMap {
            entry -> LocalComment? in
            let id = Comment.ID(entry.id)
            depend(on: .comment(id, on: real))
            guard let stored: StoredEntity<Comment> = try records.entity(.comment(id, on: real)) else { return nil }
            return LocalComment(id: try records.identity(id), comment: stored.value)
        }
        var writes = try records.writes(on: .comments(on: real))
        if real != local {
            writes = (writes + (try records.writes(on: .comments(on: local)))).sorted { $0.number < $1.number }
        }
        for queued in writes { try apply(queued, to: &comments, on: real) }
        return comments
    }

    private func apply(_ queued: QueuedWrite, to comments: inout [LocalComment], on post: Post.ID) throws {
        switch queued.write {
        case .comment(let draft):
            let real = try records.real(draft.id)
            if comments.contains(where: { $0.comment.id == real }) { return }
            var comment = Comment(
                id: real, postID: post, author: overlay.me, text: draft.text, timestamp: queued.date)
            comment.mentions = draft.mentions
            if case .sent(_, let result?) = queued.state, let known = try? Comment(document: result) { comment = known }
            var shown = LocalComment(id: draft.id, comment: comment)
            if !queued.isSent { shown.state = .toBeAdded }
            if !queued.isShown { shown.parkedWrites = [WriteID(rawValue: queued.number)] }
            comments.append(shown)
        case .editComment(let change):
            guard let index = try index(of: change.id, in: comments) else { return }
            guard queued.isShown else {
                comments[index].parkedWrites.append(WriteID(rawValue: queued.number))
                return
            }
            (comments[index].comment.text, comments[index].comment.mentions) = (change.text, change.mentions)
            if !queued.isSent, comments[index].state == .upToDate { comments[index].state = .toBeUpdated }
        case .deleteComment(let id, _):
            guard let index = try index(of: id, in: comments) else { return }
            if !queued.isShown {
                comments[index].parkedWrites.append(WriteID(rawValue: queued.number))
            } else if queued.isSent {
                comments.remove(at: index)
            } else {
                comments[index].state = .toBeDeleted
            }
        default: break
        }
    }

    private func index(of id: Comment.ID, in comments: [LocalComment]) throws -> Int? {
        let real = try records.real(id)
        return comments.firstIndex { $0.comment.id == real }
    }

    /// Returns a person as the reader sees them; nil if the device does not have the person.
    func person(_ id: Person.ID) throws -> Local<Person>? {
        depend(on: .person(id))
        guard let stored: StoredEntity<Person> = try records.entity(.person(id)) else { return nil }
        var shown = Local(stored.value)
        var writes = try records.writes(on: .person(id))
        if id == records.account {
            depend(on: .profile)
            writes = (writes + (try records.writes(on: .profile))).sorted { $0.number < $1.number }
        }
        for queued in writes {
            guard queued.isShown else {
                shown.parkedWrites.append(WriteID(rawValue: queued.number))
                continue
            }
            switch queued.write {
            case .follow(_, let isFollowed): shown.value.isFollowed = isFollowed
            case .block(_, let isBlocked): shown.value.isBlocked = isBlocked
            case .profile(let name, let bio):
                shown.value.name = name ?? shown.value.name
                shown.value.bio = bio ?? shown.value.bio
            default: continue
            }
            if !queued.isSent { shown.state = .toBeUpdated }
        }
        return shown
    }

    func notifications() throws -> NotificationList {
        depend(on: .list(.notifications))
        var list = NotificationList()
        list.unreadCount = Int(try records.number(.unread) ?? 0)
        list.hasOlder = try records.text(.next(of: .notifications)) != nil
        for entry in try records.entries(of: .notifications) {
            let id = SocialNotification.ID(entry.id)
            depend(on: .notification(id))
            guard let stored: StoredEntity<SocialNotification> = try records.entity(.notification(id)) else { continue }
            list.notifications.append(stored.value)
        }
        for queued in try records.writes(on: .list(.notifications)) where queued.isShown {
            guard case .readNotifications(let last) = queued.write else { continue }
            for index in list.notifications.indices where list.notifications[index].isUnread {
                if let last, list.notifications[index].id > last { continue }
                // Those that arrived after the write are not read.
                if last == nil, list.notifications[index].timestamp > queued.date { continue }
                list.notifications[index].isUnread = false
                list.unreadCount = max(0, list.unreadCount - 1)
            }
        }
        return list
    }
}
