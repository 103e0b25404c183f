/// The addresses of feeds in the supported formats.
enum FeedAddress {
    static let atom = "application/atom+xml"
    static let json = "application/feed+json"

    /// Returns the feeds of a list, for the head of its page.
    ///
    /// - Parameter path: The path of the list's page; empty for all posts.
    static func alternates(of path: String, label: String) -> [(type: String, path: String, label: String)] {
        [(atom, "\(path)/feed.atom", label), (json, "\(path)/feed.jsonfeed", label)]
    }
}
