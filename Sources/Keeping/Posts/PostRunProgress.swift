package import Model

/// The progress of a job.
package struct PostRunProgress: Sendable, Hashable {
    /// How many posts the selection has in all.
    package var total = 0
    /// How many were looked at.
    package var done = 0
    /// How many were switched to other files.
    package var switched = 0
    package var failed = 0
    /// The reason of the last failure.
    package var lastFailure: String?
    /// The post that was looked at last.
    package var position: PostID?

    package init() {}
}

/// How fast a job goes.
package struct PostRunPace: Sendable, Hashable {
    /// How many posts are worked on side by side; nil for as many as keep all workers busy.
    package var concurrency: Int?
    /// How many posts are looked at in a second at most; nil for as many as can be.
    package var postsPerSecond: Int?

    package init() {}

    /// How many posts are worked on side by side. While one waits for the disk, another one is rendered.
    func concurrency(workers: Int) -> Int { concurrency ?? 2 * workers }
}
