import API
import Access
import Logging
package import Posts
import Synchronization
import Tree

/// Deletes posts that are older than the operator lets them become, as ``Publisher/deletePost(_:by:)`` does: with all that names
/// them, and their files after the grace period.
///
/// A post's age is that of its `timestamp`. Posts are looked at in the order of publication, some at a time.
package final class PostExpiry: Sendable {
    /// A part of the posts that are old enough.
    package struct Page: Sendable, Hashable {
        /// How many there were.
        package var posts = 0
        /// The sum of their files, in bytes: originals and renditions.
        package var bytes = 0
        /// Behind which position the next page begins; nil when there are no more.
        package var next: PostPosition?

        package init() {}
    }

    /// The number of posts that one page looks at.
    static let batch = 200
    /// The number of pages that one sweep looks at; the next one goes on.
    static let maxPages = 50

    private let tree: TreeStore
    private let publisher: Publisher
    private let store: UploadStore
    private let settings: SharedSettings
    private let logger: Logger
    private let deleted = Atomic(0)

    init(tree: TreeStore, publisher: Publisher, store: UploadStore, settings: SharedSettings, logger: Logger) {
        self.tree = tree
        self.publisher = publisher
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// How many posts the service has deleted for their age since its start.
    package var count: Int { deleted.load(ordering: .relaxed) }

    /// Deletes what is older than the setting `post-retention` allows; nothing without it.
    func sweep() async throws {
        guard let age = settings.value.postRetention else { return }
        var position: PostPosition?
        for _ in 0..<Self.maxPages {
            let page = try await page(olderThan: age, after: position, isDryRun: false)
            if page.posts > 0 {
                deleted.add(page.posts, ordering: .relaxed)
                logger.notice(
                    "deleted posts for their age", metadata: ["posts": "\(page.posts)", "bytes": "\(page.bytes)"])
            }
            guard let next = page.next else { return }
            position = next
        }
    }

    /// Deletes, or counts, the posts of one page that are older than that.
    ///
    /// - Parameter position: The `next` of the page before; nil for the first.
    package func page(olderThan age: Duration, after position: PostPosition?, isDryRun: Bool) async throws -> Page {
        let deadline = store.now - age.milliseconds
        let rows = try await tree.children(
            of: Paths.publishedPosts, range: position.map { .after($0.key) } ?? .all, limit: Self.batch)
        var page = Page()
        for row in rows {
            try Task.checkCancellation()
            guard let listed = ListedPost(row), let id = PostID(listed.id.string),
                let post = try await tree.get(Paths.post(id)), let timestamp = post["timestamp"]?.integerValue,
                timestamp <= deadline
            else { continue }
            let bytes = try await byteCount(of: id, post)
            do {
                if !isDryRun { _ = try await publisher.deletePost(id, by: .admin) }
            } catch let error as Failure where error.code == .notFound {
                continue  // Its author came first.
            }
            page.posts += 1
            page.bytes += bytes
        }
        // The order is that of publication: where a whole page is younger, so is what follows.
        if rows.count == Self.batch, page.posts > 0 { page.next = rows.last.flatMap { PostPosition(key: $0.key) } }
        return page
    }

    private func byteCount(of id: PostID, _ post: TreeValue) async throws -> Int {
        let renditions = (PostPhotos.read(post) ?? []).flatMap(\.renditions.values).map(\.byteCount)
        let originals = try await store.record(of: id)?.photos.values.map(\.byteCount) ?? []
        // A client may have written any number into the post.
        return (renditions + originals).reduce(0) { min($0 + max(0, min($1, 1 << 40)), 1 << 60) }
    }
}
