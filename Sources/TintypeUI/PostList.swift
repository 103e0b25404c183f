#if canImport(SwiftUI)
    public import SwiftUI
    import TintypeModel
    public import TintypeStore

    /// A list of posts, which loads what is within two screens of the reader in both directions.
    ///
    ///     PostList(store.feed()) { post in PostRow(post) }
    ///
    /// This module was never compiled: it is untried on Apple's platforms.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public struct PostList<Row: View>: View {
        @State private var feed: ObservedFeed
        private let row: (LocalPost) -> Row

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - feed: The posts.
        ///   - row: The view of a post.
        public init(_ feed: PostFeed, @ViewBuilder row: @escaping (LocalPost) -> Row) {
            _feed = State(initialValue: ObservedFeed(feed))
            self.row = row
        }

        /// The list. It follows the device's store while it is shown.
        public var body: some View {
            List {
                if feed.hasNewer {
                    Button("Newer posts") { feed.showNewest() }
                }
                ForEach(feed.posts) { post in
                    row(post).task(id: post.id) { await feed.show(post.id) }
                }
                if feed.error != nil {
                    Button("Could not load posts. Try again.") { Task { await feed.loadOlder() } }
                }
            }
            .task { await feed.run() }
        }
    }
#endif
