/// The times that finished files stay available to people; nil for ever.
package struct Retention: Sendable {
    /// The time for dropped files in `done/`, once the post has all their bytes.
    package var done: Duration?
    /// The time for dropped files in `failed/`, of which no other copy may exist.
    package var failed: Duration?
    /// The time for uploads by HTTP in `failed/`: their senders received an error and have the photos.
    package var refused: Duration?

    package init(
        done: Duration? = .seconds(30 * 24 * 3600), failed: Duration? = nil,
        refused: Duration? = .seconds(30 * 24 * 3600)
    ) {
        self.done = done
        self.failed = failed
        self.refused = refused
    }
}
