/// The times for which dealt-with files stay where a person finds them; nil for ever.
package struct Retention: Sendable {
    /// Dropped files in `done/`, once the post has all their bytes.
    package var done: Duration?
    /// Dropped files in `failed/`: nobody may have another copy.
    package var failed: Duration?
    /// Uploads by HTTP in `failed/`: their senders were told, and have the photos.
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
