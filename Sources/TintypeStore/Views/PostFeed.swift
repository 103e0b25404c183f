import Synchronization
public import TintypeModel

/// A list of posts that is shown in part, such as the home feed: a window that follows the reader in both directions.
///
/// The posts come from the device first. Older ones are read from the service when the reader comes near the end of what
/// the device has.
public final class PostFeed: Sendable {
    /// The posts that are shown.
    public struct Snapshot: Hashable, Sendable {
        /// The posts, the newest first: those that the service does not know yet precede all others.
        public var posts: [LocalPost] = []
        /// Whether there are newer posts that are not shown.
        public var hasNewer = false
        /// Whether there are older posts that are not shown, or may be.
        public var hasOlder = true

        /// Creates a list without posts.
        public init() {}
    }

    private struct Window {
        /// The place before which the shown posts are; nil for the newest.
        var upper: Place?
        /// The place of the last shown post; nil until there is one page of posts.
        var lower: Place?
        /// The ids of the last snapshot, in their order.
        var shown: [Post.ID] = []
    }

    private let store: LocalStore
    private let list: ListName
    private let pageCount: Int
    private let window = Mutex(Window())
    private let cache = PostCache()
    private let subject: Subject
    /// The largest number of posts in a snapshot, so that memory has a limit however far one scrolls.
    private let maxCount: Int

    /// - Parameters:
    ///   - screenCount: The number of posts that fit on a screen. Two screens are loaded in advance.
    init(_ store: LocalStore, _ list: ListName, screenCount: Int) {
        (self.store, self.list) = (store, list)
        pageCount = max(10, 3 * screenCount)
        maxCount = 6 * pageCount
        subject = store.nextWindow()
    }

    /// The posts that are shown: first those that the device has, then each time they have changed.
    public func snapshots() -> LocalValues<Snapshot> { LocalValues(store) { view in try self.read(view) } }

    /// Notes that the reader sees a post, and loads what is within two screens of it.
    ///
    /// - Throws: `Problem`, `TransportError` or `SessionError` if older posts must be read from the service, and cannot.
    public func show(_ id: Post.ID) async throws {
        let (index, count) = window.withLock { ($0.shown.firstIndex(of: id), $0.shown.count) }
        guard let index else { return }
        if index < pageCount * 2 / 3 { try await loadNewer() }
        if count - index <= pageCount * 2 / 3 { try await loadOlder() }
    }

    /// Shows one more page of older posts, from the device or from the service.
    ///
    /// - Throws: `Problem`, `TransportError` or `SessionError` if they must be read from the service, and cannot.
    public func loadOlder() async throws {
        guard let lower = window.withLock(\.lower) else { return try await store.loadMore(of: list) }
        if try await moveDown(below: lower) { return }
        try await store.loadMore(of: list)
        _ = try await moveDown(below: lower)
    }

    /// Shows one more page of newer posts, up to the newest. Does nothing if they are shown.
    public func loadNewer() async throws {
        guard let upper = window.withLock(\.upper) else { return }
        let list = list
        let (pageCount, maxCount) = (pageCount, maxCount)
        let (newer, rest) = try await store.view { view in
            let newer = try view.records.entries(of: list, from: upper, isAscending: true, limit: pageCount + 1)
            let top = newer.count > pageCount ? newer[pageCount].place : nil
            return (top, try view.records.entries(of: list, before: top, limit: maxCount))
        }
        window.withLock { window in
            window.upper = newer
            if rest.count == maxCount, let last = rest.last { window.lower = max(window.lower ?? last.place, last.place) }
        }
        store.hub.report([subject])
    }

    /// Shows the newest posts.
    public func showNewest() {
        window.withLock { $0 = Window() }
        store.hub.report([subject])
    }

    /// Shows a page of older posts that the device has; returns false if it has none.
    private func moveDown(below lower: Place) async throws -> Bool {
        let list = list
        let (pageCount, maxCount) = (pageCount, maxCount)
        let page = try await store.view { view in try view.records.entries(of: list, before: lower, limit: pageCount) }
        guard let last = page.last?.place else { return false }
        let upper = window.withLock(\.upper)
        let top = try await store.view { view in
            let shown = try view.records.entries(of: list, from: last, before: upper, isAscending: true, limit: maxCount + 1)
            return shown.count > maxCount ? shown[maxCount].place : upper
        }
        window.withLock { window in
            window.lower = last
            window.upper = top
        }
        store.hub.report([subject])
        return true
    }

    private func read(_ view: LocalView) throws -> Snapshot {
        view.depend(on: subject)
        view.depend(on: .list(list))
        var (upper, lower) = window.withLock { ($0.upper, $0.lower) }
        var snapshot = Snapshot()
        if upper == nil, list == .feed {
            snapshot.posts = try view.overlay.unlistedPosts().compactMap { try view.post($0, cache) }
        }
        let entries = try view.records.entries(
            of: list, from: lower, before: upper, limit: lower == nil ? pageCount : .max)
        for entry in entries {
            if let post = try view.post(Post.ID(entry.id), cache) { snapshot.posts.append(post) }
        }
        if lower == nil, entries.count == pageCount { lower = entries.last?.place }
        if let newer = upper {
            snapshot.hasNewer = try !view.records.entries(of: list, from: newer, isAscending: true, limit: 1).isEmpty
            if !snapshot.hasNewer { upper = nil }
        }
        let isComplete = try view.records.number(.read(of: list)) != nil && view.records.text(.next(of: list)) == nil
        let end = entries.last?.place ?? upper
        snapshot.hasOlder = try !isComplete || end.map { try !view.records.entries(of: list, before: $0, limit: 1).isEmpty } ?? false
        let ids = snapshot.posts.map(\.id)
        cache.keep(Set(snapshot.posts.map(\.post.id)))
        window.withLock { window in
            if window.lower == nil { window.lower = lower }
            window.shown = ids
        }
        return snapshot
    }
}
