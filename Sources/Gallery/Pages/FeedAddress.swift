/// The forms in which lists of posts are told to readers of feeds.
enum FeedAddress {
    static let atom = "application/atom+xml"
    static let json = "application/feed+json"

    /// The feeds of a list, for the head of its page.
    ///
    /// - Parameter path: The path of the list's page; empty for all posts.
    static func alternates(of path: String, label: String) -> [(type: String, path: String, label: String)] {
        [(atom, "\(path)/feed.atom", label), (json, "\(path)/feed.jsonfeed", label)]
    }
}
