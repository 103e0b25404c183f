import TintypeModel

extension AccountChanges {
    /// Applies what has changed for the person, and ends the writes that it includes.
    ///
    /// - Parameter earlierWrites: If the changes are the answer to a request without a position, the numbers of the writes
    ///   that the service had carried out before the request; otherwise nil. Numbers of changes from before such an answer
    ///   may be greater than later ones, for example if a backup was restored.
    func apply(_ changes: SyncChanges, earlierWrites: Set<Int64>?) throws {
        let number = changes.changeNumber ?? 0
        if earlierWrites != nil { try resetNumbers() }
        if let feed = changes.feed { try apply(feed, to: .feed, at: number) }
        if let stories = changes.stories { try apply(stories, to: .stories, at: number) }
        for post in changes.posts?.elements ?? [] { try mergeListed(post, at: number) }
        for id in changes.posts?.removedIDs ?? [] { try forget(id) }
        for counts in changes.counts { try apply(counts, at: number) }
        if let part = changes.notifications {
            if let unread = part.unreadCount { try set(Int64(unread), .unread) }
            try apply(part, to: .notifications, subject: Subject.notification, at: number)
            touch(.list(.notifications))
        }
        if let part = changes.audiences { try apply(part, to: .audiences, subject: Subject.audience, at: number) }
        if var part = changes.uploads {
            // An upload that has ended is a post, or has failed where the person has seen it.
            part.removedIDs += part.elements.filter(\.state.isFinal).map(\.id)
            try apply(part, to: .uploads, subject: Subject.upload, at: number)
        }
        try set(changes.next, .cursor)
        try endWrites(upTo: number, and: earlierWrites ?? [])
    }

    /// Lets each later answer replace what is stored.
    private func resetNumbers() throws {
        for record in try records.records(AccountRecords.Table.fact, prefix: Fact.readPrefix) {
            try set("0", AccountRecords.Table.fact, record.key)
        }
        for record in try records.records(AccountRecords.Table.entity, prefix: "") where record.value.count > 16 {
            try set([UInt8](repeating: 0, count: 16) + record.value[16...], AccountRecords.Table.entity, record.key)
        }
    }

    /// Applies a part whose entities are in the order of their ids.
    private func apply<Element: Entity>(
        _ part: SyncChanges.Part<Element>, to list: ListName, subject: (Element.ID) -> Subject, at number: Int64
    ) throws {
        if part.isReset {
            for entry in try records.entries(of: list) {
                try remove(entry.id, from: list)
                try set(nil as String?, AccountRecords.Table.entity, subject(EntityID(entry.id)).key)
            }
            try set(part.next?.rawValue, Fact.next(of: list))
            try set(number, Fact.read(of: list))
            touch(.list(list))
        }
        for element in part.elements {
            try insert(element, subject(element.id), in: list, at: number)
        }
        for id in part.removedIDs {
            try remove(id.rawValue, from: list)
            try set(nil as String?, AccountRecords.Table.entity, subject(id).key)
            touch(subject(id))
        }
    }

    /// Stores an entity, and puts it into a list by its id.
    func insert<Element: Entity>(_ element: Element, _ subject: Subject, in list: ListName, at number: Int64) throws {
        try merge(element, subject, at: number)
        try insert(element.id.rawValue, at: Place(key: Subject.escaped(element.id.rawValue)), in: list)
    }

    /// Applies a list of posts.
    private func apply(_ part: SyncChanges.Part<Post>, to list: ListName, at number: Int64) throws {
        if part.isReset {
            let kept = Set(part.elements.map(\.id.rawValue))
            for entry in try records.entries(of: list) where !kept.contains(entry.id) {
                try removePost(EntityID(entry.id), from: list)
            }
            try set(part.next?.rawValue, Fact.next(of: list))
            try set(number, Fact.read(of: list))
            touch(.list(list))
        }
        for post in part.elements { try insert(post, in: list, at: number) }
        for id in part.removedIDs { try removePost(id, from: list) }
        for author in part.leftAuthorIDs {
            for entry in try records.entries(of: list.posts(by: author)) {
                try removePost(EntityID(entry.id), from: list)
            }
        }
    }

    /// Stores a post, and puts it at its place in a list.
    func insert(_ post: Post, in list: ListName, at number: Int64) throws {
        try mergeListed(post, at: number)
        guard let place = post.position.flatMap({ Place($0, id: post.id) }) else { return }
        try insert(post.id.rawValue, at: place, in: list)
        try insert(post.id.rawValue, at: place, in: list.posts(by: post.author.id))
        let profile = ListName.posts(by: post.author.id)
        if list == .feed, try records.number(.read(of: profile)) != nil {
            try insert(post.id.rawValue, at: place, in: profile)
        }
        try answer(post, at: number)
    }

    /// Removes a post from a list, and from the device if it is in no other one.
    private func removePost(_ id: Post.ID, from list: ListName) throws {
        if let post = try records.entity(.post(id), as: Post.self)?.value {
            try remove(id.rawValue, from: list.posts(by: post.author.id))
        }
        try remove(id.rawValue, from: list)
        let other: ListName = list == .feed ? .stories : .feed
        if try records.place(of: id.rawValue, in: other) == nil { try forget(id) }
    }

    /// Removes what the device knows of a post, except of the person's own writes.
    func forget(_ id: Post.ID) throws {
        try set(nil as String?, AccountRecords.Table.entity, Subject.post(id).key)
        touch(.post(id))
    }

    /// Stores a post as lists have it, with its counts. The comments that lists have are left out: they have a list of
    /// their own, which is kept up to date.
    func mergeListed(_ post: Post, at number: Int64) throws {
        var post = post
        post.comments = []
        let known: StoredEntity<Post>? = try records.entity(.post(post.id))
        var stored = StoredEntity(post, number: number)
        if let known {
            if known.number > number { stored = known }
            // A post by itself, such as the answer to an edit, has no position.
            stored.value.position = post.position ?? known.value.position
            if known.countsNumber > number || post.counts == nil {
                (stored.value.counts, stored.value.isLiked) = (known.value.counts, known.value.isLiked)
                stored.countsNumber = known.countsNumber
            } else {
                (stored.value.counts, stored.value.isLiked) = (post.counts, post.isLiked)
                stored.countsNumber = number
            }
        }
        if let known, known.value == stored.value, known.number == stored.number { return }
        try setEntity(stored, .post(post.id))
    }

    private func apply(_ counts: SyncChanges.Counts, at number: Int64) throws {
        guard var stored: StoredEntity<Post> = try records.entity(.post(counts.postID)),
            stored.countsNumber <= number
        else { return }
        stored.value.counts = Post.Counts(likes: counts.likes ?? 0, comments: counts.comments ?? 0)
        stored.value.isLiked = counts.isLiked
        stored.countsNumber = number
        try setEntity(stored, .post(counts.postID))
    }

    /// Notes that a post is one that this device has sent, if its answer was lost.
    private func answer(_ post: Post, at number: Int64) throws {
        guard let key = post.clientReference else { return }
        for queued in try records.writes(on: .list(.feed)) where queued.isQueued {
            guard key == queued.key || key.hasPrefix(queued.key + "~") else { continue }
            try finish(queued, id: post.id.rawValue, result: nil, at: number)
        }
    }
}
