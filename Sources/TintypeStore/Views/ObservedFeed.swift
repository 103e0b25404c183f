#if canImport(Observation)
    public import Observation
    public import TintypeModel

    /// A list of posts as a model of SwiftUI.
    ///
    ///     @State private var feed = ObservedFeed(store.feed())
    ///
    ///     var body: some View {
    ///         List(feed.posts) { post in
    ///             PostRow(post).task { await feed.show(post.id) }
    ///         }
    ///         .task { await feed.run() }
    ///     }
    ///
    /// It follows the store while `run()` is under way, and keeps nothing alive otherwise. A transaction of the store is
    /// one change of `posts`, however many of them have changed.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable
    public final class ObservedFeed {
        /// The posts that are shown, the newest first.
        public private(set) var posts: [LocalPost] = []
        /// Whether there are newer posts that are not shown.
        public private(set) var hasNewer = false
        /// Whether there are older posts that are not shown, or may be.
        public private(set) var hasOlder = true
        /// The reason why the last loading has failed, or why the store cannot be read; nil after a success.
        public private(set) var error: (any Error)?

        private let feed: PostFeed

        /// Creates a model of a list, which is not read yet.
        public init(_ feed: PostFeed) { self.feed = feed }

        /// Follows the list until the task is cancelled, or until the store cannot be read.
        public func run() async {
            do {
                for try await snapshot in feed.snapshots() { update(snapshot) }
            } catch {
                if !Task.isCancelled { self.error = error }
            }
        }

        /// Notes that the reader sees a post, and loads what is within two screens of it.
        public func show(_ id: Post.ID) async { await load { try await feed.show(id) } }

        /// Shows one more page of older posts, from the device or from the service.
        public func loadOlder() async { await load { try await feed.loadOlder() } }

        /// Shows one more page of newer posts, up to the newest.
        public func loadNewer() async { await load { try await feed.loadNewer() } }

        /// Shows the newest posts.
        public func showNewest() { feed.showNewest() }

        private func load(_ body: () async throws -> Void) async {
            do {
                try await body()
                if error != nil { error = nil }
            } catch {
                if !Task.isCancelled { self.error = error }
            }
        }

        private func update(_ snapshot: PostFeed.Snapshot) {
            if posts != snapshot.posts { posts = snapshot.posts }
            if hasNewer != snapshot.hasNewer { hasNewer = snapshot.hasNewer }
            if hasOlder != snapshot.hasOlder { hasOlder = snapshot.hasOlder }
        }
    }
#endif
