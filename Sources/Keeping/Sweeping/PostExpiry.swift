import API
import Access
package import Logging
import Model
import Store
import Synchronization
package import Tree
package import Uploads

/// Deletes posts that are older than the setting `post-retention`, in the same way as ``Publisher/deletePost(_:by:)``:
/// with all references to them, and their files after the grace period.
///
/// The age of a post is that of its `timestamp`, which need not match the order of any collection: imports add old
/// posts late. Therefore all posts are examined in turn, public ones and those for audiences, in the order of their
/// ids, a page at a time.
package final class PostExpiry: Sendable {
    /// The old posts in a page.
    package struct Page: Sendable, Hashable {
        /// The number of posts that are old enough.
        package var posts = 0
        /// The sum of their files, in bytes: originals and renditions.
        package var bytes = 0
        /// The position after which the next page begins; nil at the end.
        package var next: Position?

        package init() {}
    }

    /// A position in the walk over all posts: the last post that was examined.
    package struct Position: Sendable, Hashable, CustomStringConvertible {
        /// A collection of posts.
        fileprivate enum Collection: String {
            case posts
            case audiencePosts = "audience_posts"

            var path: TreePath { self == .posts ? PostNodes.post() : AudienceNodes.post() }
        }

        fileprivate var collection = Collection.posts
        fileprivate var last: TreeKey?

        fileprivate init() {}

        /// The position as a cursor: `posts/-P6xJd7DkF0an8Cy0qLh`, or `audience_posts` at the beginning of that
        /// collection.
        package var description: String { collection.rawValue + (last.map { "/\($0)" } ?? "") }

        /// Parses a cursor; nil if it is malformed.
        package init?(cursor: String) {
            let parts = cursor.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let collection = parts.first.flatMap({ Collection(rawValue: String($0)) }) else { return nil }
            self.collection = collection
            guard parts.count == 2 else { return }
            guard let last = try? TreeKey(String(parts[1])) else { return nil }
            self.last = last
        }

        /// Returns the position after a page with these keys; nil at the end.
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

    /// The number of posts that one page examines.
    static let batch = 500
    /// The number of pages that one sweep examines; the next sweep continues.
    static let maxPages = 20

    private let tree: TreeStore
    private let publisher: Publisher
    private let store: UploadStore
    private let settings: SharedSettings
    private let logger: Logger
    private let deleted = Atomic(0)
    /// The position at which the next sweep begins; nil for the first post.
    private let position = Mutex<Position?>(nil)

    package init(tree: TreeStore, publisher: Publisher, store: UploadStore, settings: SharedSettings, logger: Logger) {
        self.tree = tree
        self.publisher = publisher
        self.store = store
        self.settings = settings
        self.logger = logger
    }

    /// The number of posts that were deleted for their age since the start.
    package var count: Int { deleted.load(ordering: .relaxed) }

    /// Deletes posts that are older than the setting `post-retention`; does nothing without the setting. If there are
    /// more posts than one sweep examines, the next one continues after them.
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

    /// Deletes, or only counts, the posts of one page that are older than an age.
    ///
    /// - Parameter position: The `next` of the page before; nil for the first page.
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
            // A post of a client under another key has no files.
            let bytes = if let id = PostID(key.string) { try await byteCount(of: id, post) } else { 0 }
            if !isDryRun, try await !delete(path) { continue }
            page.posts += 1
            page.bytes += bytes
        }
        return page
    }

    /// - Returns: False if the post does not exist any longer: its author or another sweep may have deleted it.
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
