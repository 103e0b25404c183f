import API
import Access
package import Logging
import Model
import Store
import Synchronization
package import Tree
package import Uploads

/// Deletes posts that are older than the operator lets them become, as ``Publisher/deletePost(_:by:)`` does: with all that names
/// them, and their files after the grace period.
///
/// A post's age is that of its `timestamp`, which says nothing about its collection in any order: imports bring old posts late. So
/// all posts are looked at in turn, those for everybody and those for audiences, in the order of their ids, some at a time.
package final class PostExpiry: Sendable {
    /// A part of the posts that are old enough.
    package struct Page: Sendable, Hashable {
        /// How many there were.
        package var posts = 0
        /// The sum of their files, in bytes: originals and renditions.
        package var bytes = 0
        /// Behind which post the next page begins; nil when there are no more.
        package var next: Position?

        package init() {}
    }

    /// The last post that a page has looked at.
    package struct Position: Sendable, Hashable, CustomStringConvertible {
        /// Where posts stand.
        fileprivate enum Collection: String {
            case posts
            case audiencePosts = "audience_posts"

            var path: TreePath { self == .posts ? PostNodes.post() : AudienceNodes.post() }
        }

        fileprivate var collection = Collection.posts
        fileprivate var last: TreeKey?

        fileprivate init() {}

        /// The position as a cursor: `posts/-P6xJd7DkF0an8Cy0qLh`, or `audience_posts` for none there yet.
        package var description: String { collection.rawValue + (last.map { "/\($0)" } ?? "") }

        /// Reads a cursor; nil when it is none.
        package init?(cursor: String) {
            let parts = cursor.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let collection = parts.first.flatMap({ Collection(rawValue: String($0)) }) else { return nil }
            self.collection = collection
            guard parts.count == 2 else { return }
            guard let last = try? TreeKey(String(parts[1])) else { return nil }
            self.last = last
        }

        /// Where the page behind one goes on; nil behind the last one.
        fileprivate func next(after keys: [TreeKey]) -> Position? {
            var next = self
            next.last = keys.last
            if keys.count == PostExpiry.batch { return next }
            guard collection == .posts else { return nil }
            next.collection = .audiencePosts
            next.last = nil
            return next
        }
    }

    /// The number of posts that one page looks at.
    static let batch = 500
    /// The number of pages that one sweep looks at; the next one goes on.
    static let maxPages = 20

    private let tree: TreeStore
    private let publisher: Publisher
    private let store: UploadStore
    private let settings: SharedSettings
    private let logger: Logger
    private let deleted = Atomic(0)
    /// Where the next sweep begins; nil for at the first post.
    private let position = Mutex<Position?>(nil)

    package init(tree: TreeStore, publisher: Publisher, store: UploadStore, settings: SharedSettings, logger: Logger) {
        self.tree = tree
        self.publisher = publisher
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// How many posts the service has deleted for their age since its start.
    package var count: Int { deleted.load(ordering: .relaxed) }

    /// Deletes what is older than the setting `post-retention` allows; nothing without it. Where there are more posts than one
    /// sweep looks at, the next one goes on behind them.
    func sweep() async throws {
        guard let age = settings.value.postRetention else { return }
        for _ in 0..<Self.maxPages {
            let page = try await page(olderThan: age, after: position.withLock { $0 }, isDryRun: false)
            if page.posts > 0 {
                deleted.add(page.posts, ordering: .relaxed)
                logger.notice(
                    "deleted posts for their age", metadata: ["posts": "\(page.posts)", "bytes": "\(page.bytes)"])
            }
            position.withLock { $0 = page.next }
            guard page.next != nil else { return }
        }
    }

    /// Deletes, or counts, the posts of one page that are older than that.
    ///
    /// - Parameter position: The `next` of the page before; nil for the first.
    package func page(olderThan age: Duration, after position: Position?, isDryRun: Bool) async throws -> Page {
        let position = position ?? Position()
        let deadline = store.now - age
        let (due, next) = try await tree.snapshot { snapshot in
            let keys = try snapshot.keys(
                of: position.collection.path, range: position.last.map { .after($0) } ?? .all, limit: Self.batch)
            let due = try keys.filter { key in
                let path = position.collection.path / key
                guard let timestamp = try snapshot.get(path / "timestamp")?.timestampValue else { return false }
                return timestamp <= deadline
            }
            return (due, position.next(after: keys))
        }
        var page = Page()
        page.next = next
        for key in due {
            try Task.checkCancellation()
            let path = position.collection.path / key
            guard let post = try await tree.get(path) else { continue }
            // What clients call otherwise has no files.
            let bytes = if let id = PostID(key.string) { try await byteCount(of: id, post) } else { 0 }
            if !isDryRun, try await !delete(path) { continue }
            page.posts += 1
            page.bytes += bytes
        }
        return page
    }

    /// - Returns: Whether it was there: its author, or another sweep, may have come first.
    private func delete(_ path: TreePath) async throws -> Bool {
        do {
            guard let id = path.keys.last.flatMap({ PostID($0.string) }),
                try await tree.snapshot({ try $0.path(ofPost: id) }) == path
            else {
                try await tree.set(path, to: nil, if: [.exists(path)])
                return true
            }
            _ = try await publisher.deletePost(id, by: .admin)
            return true
        } catch let error as Failure where error.code == .notFound {
            return false
        } catch let error as TreeError where error.code == .preconditionFailed {
            return false
        }
    }

    private func byteCount(of id: PostID, _ post: TreeValue) async throws -> Int {
        let renditions = (PostPhotos.read(post) ?? []).flatMap(\.renditions.values).map(\.byteCount)
        let originals =
            try await tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) })?.photos.values.map(\.byteCount)
            ?? []
        // A client may have written any number into the post.
        return (renditions + originals).reduce(0) { min($0 + max(0, min($1, 1 << 40)), 1 << 60) }
    }
}
