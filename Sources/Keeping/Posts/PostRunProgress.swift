package import Model

/// The progress of a job.
package struct PostRunProgress: Sendable, Hashable {
    /// The number of posts in the selection.
    package var total = 0
    /// The number of posts that were processed.
    package var done = 0
    /// The number of posts that were switched to other files.
    package var switched = 0
    package var failed = 0
    /// The description of the last failure; nil if there was none.
    package var lastFailure: String?
    /// The post that was processed last; nil before the first.
    package var position: PostID?

    package init() {}
}

/// The speed limits of a job.
package struct PostRunPace: Sendable, Hashable {
    /// The number of posts that are processed concurrently; nil for a number that keeps all workers busy.
    package var concurrency: Int?
    /// The maximum number of posts that are processed in a second; nil for no limit.
    package var postsPerSecond: Int?

    package init() {}

    /// The number of posts that are processed concurrently. While one waits for the disk, another one is rendered.
    func concurrency(workers: Int) -> Int { concurrency ?? 2 * workers }
}
