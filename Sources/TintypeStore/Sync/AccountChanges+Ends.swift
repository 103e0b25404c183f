import TintypeModel

extension AccountChanges {
    /// Notes that the service has carried out a write.
    ///
    /// - Parameters:
    ///   - id: The id that it has given to the post or the comment; nil for other writes.
    ///   - result: The entity as the service has answered, if it has.
    ///   - number: The number of the change; nil if the service did not send it.
    func finish(_ queued: QueuedWrite, id: String?, result: JSONValue?, at number: Int64?) throws {
        if let id {
            switch queued.write {
            case .post(let post):
                try setReal(Post.ID(id), for: post.id)
                touch(.post(Post.ID(id)))
                try set(nil as String?, Fact.upload(post.id))
            case .comment(let comment):
                try setReal(Comment.ID(id), for: comment.id)
                touch(.comment(Comment.ID(id), on: try records.real(comment.post)))
            default: break
            }
        }
        var queued = queued
        queued.state = .sent(number, result: result)
        try update(queued)
        // What the device has read may include the write already: it has arrived before the answer to the write.
        let isRead = try number.map { try $0 <= records.syncedNumber() ?? -1 } ?? false
        if try isRead ? !isStillNeeded(queued.write) : !isLaidOver(queued.write) {
            try end(queued, result, at: number ?? 0)
        }
    }

    /// Whether a write is laid over something that the device keeps, until synchronisation includes it.
    private func isLaidOver(_ write: Write) throws -> Bool {
        switch write {
        case .profile: false
        case .tree(let write): try records.hasTree(overlapping: write.keys)
        default: true
        }
    }

    /// Whether a write must stay laid over something although synchronisation includes it.
    private func isStillNeeded(_ write: Write) throws -> Bool {
        guard case .tree(let write) = write else { return false }
        return try records.hasUnreadTree(overlapping: write.keys)
    }

    /// Ends the writes that are no longer needed although synchronisation goes no further.
    func endReadWrites() throws {
        if let number = try records.syncedNumber() { try endWrites(upTo: number, and: []) }
    }

    /// Ends the writes that the device's state of the service includes: they are no longer laid over it.
    ///
    /// - Parameters:
    ///   - number: The number of the last change that it includes.
    ///   - others: The numbers of further writes that it includes.
    func endWrites(upTo number: Int64, and others: Set<Int64>) throws {
        for var queued in try records.sentWrites(upTo: number, and: others) {
            guard case .sent(let change, let result) = queued.state,
                change ?? 0 <= number || others.contains(queued.number)
            else { continue }
            if try !isStillNeeded(queued.write) {
                try end(queued, result, at: change ?? 0)
            } else if change ?? 0 > number {
                queued.state = .sent(number, result: result)
                try update(queued)
            }
        }
    }

    private func end(_ queued: QueuedWrite, _ result: JSONValue?, at number: Int64) throws {
        try keepResult(of: queued, result, at: number)
        try remove(queued, isDone: true)
    }

    /// Stores the effect of a write on what synchronisation does not cover, unless a later state of it is known.
    private func keepResult(of queued: QueuedWrite, _ result: JSONValue?, at number: Int64) throws {
        switch queued.write {
        case .post(let draft):
            let real = try records.real(draft.id)
            if let result, try records.number(of: .post(real)) == nil, let post = try? Post(document: result) {
                try mergeListed(post, at: number)
            }
        case .editPost(let change):
            if let result, let post = try? Post(document: result) {
                try mergeListed(post, at: number)
            } else {
                try changeKnown(records.real(change.id), at: number) { change.words.apply(to: &$0.value) }
            }
        case .deletePost(let id):
            let real = try records.real(id)
            guard try records.number(of: .post(real)) ?? 0 <= number else { break }
            for list in [ListName.feed, .stories] { try remove(real.rawValue, from: list) }
            try forget(real)
        case .like(let id, let isLiked):
            guard var stored: StoredEntity<Post> = try records.entity(.post(records.real(id))),
                stored.countsNumber < number
            else { break }
            stored.value.setLiked(isLiked)
            stored.countsNumber = number
            try setEntity(stored, .post(stored.value.id))
        case .follow(let id, let isFollowed):
            try changeKnown(id, at: number) { $0.value.isFollowed = isFollowed }
        case .block(let id, let isBlocked):
            try changeKnown(id, at: number) { $0.value.isBlocked = isBlocked }
        case .comment, .editComment:
            if let result { try keepComment(result, at: number) }
        case .deleteComment(let id, let post):
            let (real, post) = (try records.real(id), try records.real(post))
            try remove(real.rawValue, from: .comments(on: post))
            try setEntity(nil as StoredEntity<Comment>?, .comment(real, on: post))
        case .tree(let write): try keep(write, queued, at: number)
        case .profile(let name, let bio):
            try changeKnown(records.account, at: number) { stored in
                stored.value.name = name ?? stored.value.name
                stored.value.bio = bio ?? stored.value.bio
            }
        case .readNotifications: break
        }
    }

    private func changeKnown(
        _ id: Post.ID, at number: Int64, _ change: (inout StoredEntity<Post>) -> Void
    ) throws {
        guard var stored: StoredEntity<Post> = try records.entity(.post(id)), stored.number < number else { return }
        change(&stored)
        stored.number = number
        try setEntity(stored, .post(id))
    }

    private func changeKnown(
        _ id: Person.ID, at number: Int64, _ change: (inout StoredEntity<Person>) -> Void
    ) throws {
        guard var stored: StoredEntity<Person> = try records.entity(.person(id)), stored.number < number else { return }
        change(&stored)
        stored.number = number
        try setEntity(stored, .person(id))
    }

    private func keepComment(_ document: JSONValue, at number: Int64) throws {
        guard let comment = try? Comment(document: document), let post = comment.postID else { return }
        try merge(comment, .comment(comment.id, on: post), at: number)
        // A list that was never read is not made one of a single comment.
        if try records.number(.read(of: .comments(on: post))) != nil {
            try insert(
                comment.id.rawValue, at: Place(key: Subject.escaped(comment.id.rawValue)), in: .comments(on: post))
        }
    }
}
