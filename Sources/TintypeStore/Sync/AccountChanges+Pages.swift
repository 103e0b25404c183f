import TintypeModel

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
        if [.feed, .stories].contains(list), let known = try syncedNumber(), number < known { return false }
        if cursor == nil {
            for entry in try records.entries(of: list) { try remove(entry.id, from: list) }
        }
        for post in page.elements { try insert(post, in: list, at: number) }
        try set(page.next?.rawValue, Fact.next(of: list))
        try set(number, Fact.read(of: list))
        touch(.list(list))
        return true
    }

    /// Adds a page of comments to the list of a post's comments, the newest first.
    func append(_ page: Page<Comment>, on post: Post.ID, after cursor: Cursor?, at number: Int64) throws {
        let list = ListName.comments(on: post)
        if cursor == nil {
            let kept = Set(page.elements.map(\.id.rawValue))
            let oldest = page.elements.map(\.id).min()
            // Comments that a page does not have were deleted; those before it are not known.
            for entry in try records.entries(of: list) where !kept.contains(entry.id) {
                if page.hasMore, let oldest, EntityID<Comment>(entry.id) < oldest { continue }
                let subject = Subject.comment(Comment.ID(entry.id), on: post)
                if let known = try records.number(of: subject), known > number { continue }
                try remove(entry.id, from: list)
                try setEntity(nil as StoredEntity<Comment>?, subject)
            }
        }
        for comment in page.elements {
            try merge(comment, .comment(comment.id, on: post), at: number)
            try insert(comment.id.rawValue, at: Place(key: Subject.escaped(comment.id.rawValue)), in: list)
        }
        if cursor == nil ? try records.number(.read(of: list)) == nil : try records.text(.next(of: list)) == cursor?.rawValue {
            try set(page.next?.rawValue, Fact.next(of: list))
        }
        try set(number, Fact.read(of: list))
        touch(.comments(on: post))
        touch(.list(list))
    }

    /// The number of the last change that the device has read; nil before the first synchronisation.
    func syncedNumber() throws -> Int64? {
        try records.text(.cursor).flatMap { SyncChanges(next: $0).changeNumber }
    }
}
