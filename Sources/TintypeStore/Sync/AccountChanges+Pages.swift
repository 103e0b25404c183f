import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AccountChanges {
    /// Adds a page of older posts to a list.
    ///
    /// - Parameters:
    ///   - cursor: The cursor with which the page was requested; nil for the newest posts.
    ///   - number: The number of the last change that the page includes.
    /// - Returns: False if the list has changed meanwhile so that the page does not continue it.
    func append(_ page: Page<Post>, to list: ListName, after cursor: Cursor?, at number: Int64) throws -> Bool {
        guard try records.text(.next(of: list)) == cursor?.rawValue else { return false }
        // An answer from before the last synchronisation may have posts that were deleted since.
        if [.feed, .stories].contains(list), let known = try records.syncedNumber(), number < known { return false }
        if cursor == nil {
            for entry in try records.entries(of: list) { try remove(entry.id, from: list) }
        }
        for post in page.elements { try insert(post, in: list, at: number) }
        try set(page.next?.rawValue, Fact.next(of: list))
        try set(number, Fact.read(of: list))
        touch(.list(list))
        return true
    }

    /// Replaces the newest posts of a list by a page of them. If there may be others between it and the posts that the
    /// device has, the list begins again with the page.
    func refresh(_ page: Page<Post>, of list: ListName, at number: Int64) throws {
        if let read = try records.number(.read(of: list)), read > number { return }
        let kept = Set(page.elements.map(\.id.rawValue))
        let known = try records.entries(of: list)
        let oldest = page.elements.compactMap { post in post.position.flatMap { Place($0, id: post.id) } }.min()
        let isContinued = page.hasMore && known.contains { kept.contains($0.id) }
        for entry in known where !kept.contains(entry.id) {
            if isContinued, let oldest, entry.place < oldest { continue }
            try remove(entry.id, from: list)
        }
        for post in page.elements { try insert(post, in: list, at: number) }
        if !isContinued { try set(page.next?.rawValue, Fact.next(of: list)) }
        try set(number, Fact.read(of: list))
        touch(.list(list))
    }

    /// Adds a page of older notifications.
    ///
    /// - Returns: False if the list has changed meanwhile so that the page does not continue it, or if the page is from before
    ///   the last synchronisation: it may have notifications that were removed since.
    func append(_ page: Page<SocialNotification>, after cursor: Cursor, at number: Int64) throws -> Bool {
        let list = ListName.notifications
        guard try records.text(.next(of: list)) == cursor.rawValue, try records.syncedNumber() ?? 0 <= number else {
            return false
        }
        for element in page.elements { try insert(element, .notification(element.id), in: list, at: number) }
        try set(page.next?.rawValue, Fact.next(of: list))
        touch(.list(list))
        return true
    }

    /// Adds a page of comments to the list of a post's comments, the newest first.
    func append(_ page: Page<Comment>, on post: Post.ID, after cursor: Cursor?, at number: Int64) throws {
        let list = ListName.comments(on: post)
        /// Whether the comments that the device has go on below the page, without a gap.
        var isContinued = false
        if cursor == nil {
            let kept = Set(page.elements.map(\.id.rawValue))
            let oldest = page.elements.map(\.id).min()
            isContinued =
                try page.hasMore && oldest.map { try records.place(of: $0.rawValue, in: list) != nil } ?? false
            // Comments that a page does not have were deleted; those before it are not known.
            for entry in try records.entries(of: list) where !kept.contains(entry.id) {
                if isContinued, let oldest, EntityID<Comment>(entry.id) < oldest { continue }
                let subject = Subject.comment(Comment.ID(entry.id), on: post)
                if let known = try records.number(of: subject), known > number { continue }
                try remove(entry.id, from: list)
                try setEntity(nil as StoredEntity<Comment>?, subject)
            }
        }
        for comment in page.elements {
            try insert(comment, .comment(comment.id, on: post), in: list, at: number)
            try answer(comment, on: post, at: number)
        }
        if try cursor == nil ? !isContinued : records.text(.next(of: list)) == cursor?.rawValue {
            try set(page.next?.rawValue, Fact.next(of: list))
        }
        try set(number, Fact.read(of: list))
        touch(.comments(on: post))
        touch(.list(list))
    }

    /// Notes that a comment is one that this device has sent, if the answer was lost or is still on its way. It has no
    /// reference of the device, but its time to the millisecond, unless that was too far ahead for the service.
    private func answer(_ comment: Comment, on post: Post.ID, at number: Int64) throws {
        guard comment.author.id == records.account, let time = comment.clientTimestamp,
            try records.identity(comment.id) == comment.id
        else { return }
        let ids = Set([post, try records.identity(post)])
        for queued in try ids.flatMap({ try records.writes(on: .comments(on: $0)) }) where queued.isQueued {
            guard case .comment(let draft) = queued.write, queued.isAttempted, draft.text == comment.text,
                abs(queued.date.timeIntervalSince(time)) < 0.001 || time == comment.timestamp
            else { continue }
            let result = try JSONValue(encoding: comment)
            return try finish(queued, id: comment.id.rawValue, result: result, at: number)
        }
    }
}

extension AccountRecords {
    /// Returns the number of the last change that the device has read; nil before the first synchronisation.
    func syncedNumber() throws -> Int64? { try text(.cursor).flatMap { SyncChanges(next: $0).changeNumber } }
}
