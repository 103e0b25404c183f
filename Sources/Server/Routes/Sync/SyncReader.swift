import API
import Database
import Hummingbird
import Model
import Requests
import Social
import Tree
import Uploads

/// Reads the differences of one reader's slice, as documents.
struct SyncReader: Sendable {
    let parts: SyncRoutes.Parts
    let reader: UserID
    let context: HTTPContext
    /// The largest number of elements of a list that is replaced.
    let limit: Int
    /// Further posts of which the reader wants to know the changes.
    let named: Set<TreeKey>

    var slice: ReaderSlice { ReaderSlice(of: reader, in: parts.tree, clock: parts.clock) }

    /// Returns what the rules let the reader see now.
    func sight() async throws -> ReaderSlice.Sight {
        var view = try await parts.lists.view(context)
        view.viewer = reader
        var sight = ReaderSlice.Sight(view)
        sight.showsPosts = try await context.mayRead(PostNodes.post(), in: parts.database)
        return sight
    }

    /// Returns the difference since a position; everything if it cannot be determined, or for nil.
    func difference(since cursor: SyncCursor?) async throws -> (document: SyncDocument, next: SyncCursor) {
        try context.checkReads()
        return try await context.reading { try await readDifference(since: cursor) }
    }

    private func readDifference(since cursor: SyncCursor?) async throws -> (document: SyncDocument, next: SyncCursor) {
        let sight = try await sight()
        if let cursor, cursor.sight == sight.cursorSight {
            do {
                let change = try await slice.change(
                    since: cursor.token, oldestAnnouncement: cursor.oldestAnnouncement?.key, sight, named: named)
                return try await answer(change, sight)
            } catch let error as TreeError where error.code == .tokenTooOld || error.code == .tokenUnknown {
                // The copy is older than the change log, or of another store.
            }
        }
        // What is still to be written to the feed is written first, so that it is not in the next difference.
        var feed: FeedPage?
        if sight.showsPosts {
            let (page, isCorrected) = try await feedPage(sight)
            feed = isCorrected ? try await feedPage(sight).page : page
        }
        // The position comes before the lists: what changes while they are read is in the next difference, too.
        let token = if let token = feed?.token { token } else { try await parts.tree.token }
        var change = SliceChange.everything(at: token)
        change.notifications.oldestAnnouncement = try await slice.oldestAnnouncement
        change.named.items = sight.showsPosts ? try await slice.posts(named: named, sight) : []
        return try await answer(change, sight, showing: feed, isEverything: true)
    }

    /// - Parameter page: The newest posts of the feed, if they have been read.
    private func answer(
        _ change: SliceChange, _ sight: ReaderSlice.Sight, showing page: FeedPage? = nil, isEverything: Bool = false
    ) async throws -> (document: SyncDocument, next: SyncCursor) {
        let next = SyncCursor(
            token: change.next, sight: sight.cursorSight,
            oldestAnnouncement: change.notifications.oldestAnnouncement.flatMap { PostPosition(key: $0) })
        var document = SyncDocument(next: next.description, more: change.hasMore)
        document.feed = try await feed(change.feed, sight, page)
        document.posts = named.isEmpty ? nil : posts(change.named, isForAudiences: false)
        document.counts = change.counts.isEmpty ? nil : change.counts.map(SyncDocument.Counts.init)
        document.stories = try await stories(change.stories)
        document.notifications = try await notifications(change.notifications)
        document.audiences = try await audiences(change.audiences)
        document.uploads = isEverything ? try await unfinishedUploads() : try await uploads(change.uploads)
        return (document, next)
    }

    // MARK: Posts

    private func feed(
        _ change: SliceChange.Posts, _ sight: ReaderSlice.Sight, _ page: FeedPage?
    ) async throws -> SyncDocument.Posts? {
        guard change.isReplaced else { return posts(change, isForAudiences: false) }
        // Posts that the reader may no longer see leave the device.
        guard sight.showsPosts else { return .reset(PostPageDocument()) }
        let page = if let page { page } else { try await feedPage(sight).page }
        var document = PostPageDocument(page, parts.media)
        document.complete = page.isComplete ? nil : false
        return .reset(document)
    }

    /// Returns the newest posts of the feed, and writes what was still to be written to it.
    ///
    /// - Returns: The page, and whether something was still to be written.
    private func feedPage(_ sight: ReaderSlice.Sight) async throws -> (page: FeedPage, isCorrected: Bool) {
        let feed = HomeFeed(parts.tree, tasks: parts.tasks)
        let (page, upkeep) = try await feed.page(of: reader, before: nil, limit: limit, sight.view)
        if let upkeep { await feed.write(upkeep, or: context.logger) }
        return (page, upkeep != nil)
    }

    private func stories(_ change: SliceChange.Posts) async throws -> SyncDocument.Posts? {
        guard change.isReplaced else { return posts(change, isForAudiences: true) }
        let page = try await FeedReader(parts.tree).page(
            of: .stories(reader), before: nil, limit: limit, .ofAudiences(for: reader))
        var document = PostPageDocument(page, parts.media, isForAudiences: true)
        document.complete = page.isComplete ? nil : false
        return .reset(document)
    }

    private func posts(_ change: SliceChange.Posts, isForAudiences: Bool) -> SyncDocument.Posts? {
        guard change.isReplaced || !change.items.isEmpty || !change.removed.isEmpty || !change.left.isEmpty else {
            return nil
        }
        var document = SyncDocument.Posts()
        document.reset = change.isReplaced ? true : nil
        document.posts = change.items.map { $0.document(parts.media, isRestricted: isForAudiences) }
        document.removed = change.removed.isEmpty ? nil : change.removed.map(\.string)
        document.left = change.left.isEmpty ? nil : change.left.map(\.description)
        return document
    }

    // MARK: Other parts

    private func notifications(_ change: SliceChange.Notifications) async throws -> SyncDocument.Notifications? {
        var document: SyncDocument.Notifications
        if change.isReplaced {
            let page = try await parts.notifications.page(of: reader, before: nil, limit: limit).document
            document = SyncDocument.Notifications(unread: page.unread)
            (document.reset, document.notifications, document.next) = (true, page.notifications, page.next)
        } else if let unread = change.unread {
            document = SyncDocument.Notifications(unread: unread)
            document.notifications = change.documents
            document.removed = change.removed.isEmpty ? nil : change.removed.map(\.string)
        } else {
            return nil
        }
        try await parts.hiding.removeHiddenTexts(from: &document.notifications, context)
        return document
    }

    private func audiences(_ change: SliceChange.Audiences) async throws -> SyncDocument.Audiences? {
        var document = SyncDocument.Audiences()
        if change.isReplaced {
            let page = try await Audiences(parts.tree).page(of: reader, after: nil, limit: PageSize.max)
            document.reset = true
            document.audiences = page.audiences.map { AudienceDocument($0) }
            document.next = page.next?.string
            return document
        }
        guard !change.audiences.isEmpty || !change.removed.isEmpty else { return nil }
        document.audiences = change.audiences.map { AudienceDocument($0) }
        document.removed = change.removed.isEmpty ? nil : change.removed.map(\.string)
        return document
    }

    /// Returns those of some uploads that are the reader's own.
    private func uploads(_ ids: [PostID]) async throws -> SyncDocument.Uploads? {
        let records = try await parts.tree.snapshot { [reader] snapshot in
            try ids.compactMap { try snapshot.upload($0) }.filter { $0.owner == reader }
        }
        guard !records.isEmpty else { return nil }
        var document = SyncDocument.Uploads()
        document.uploads = records.map(parts.response.document(of:))
        return document
    }

    private func unfinishedUploads() async throws -> SyncDocument.Uploads {
        let queued = try await parts.response.store.queued()
        let own = try await uploads(queued.filter { $0.owner == nil || $0.owner == reader }.map(\.id))
        var document = own ?? SyncDocument.Uploads()
        document.reset = true
        return document
    }
}

extension SyncDocument.Posts {
    /// Returns a list that is replaced by a page.
    fileprivate static func reset(_ page: PostPageDocument) -> SyncDocument.Posts {
        var document = SyncDocument.Posts()
        document.reset = true
        document.posts = page.posts
        (document.next, document.complete) = (page.next, page.complete)
        return document
    }
}

extension SyncDocument.Counts {
    fileprivate init(_ counts: SliceChange.Counts) {
        self.init(
            postID: counts.post.string, likes: counts.numbers?.likes, comments: counts.numbers?.comments,
            liked: counts.isLiked)
    }
}
