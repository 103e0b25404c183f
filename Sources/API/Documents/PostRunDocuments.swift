/// The work of a post run.
package enum PostRunKind: String, Codable, CaseIterable, Sendable {
    /// Renders posts again with the current recipes.
    case rethumb
    /// Removes the location from originals.
    case scrub
    /// Applies a rule for originals, once their posts are old enough.
    case originals
}

/// The reason why a rule for originals leaves an original as it is.
package enum OriginalObstacle: String, CaseIterable, Sendable {
    /// It was encoded again, or dropped, before.
    case done
    /// It is a photo of the bucket, which its clients manage themselves.
    case bucket
    /// It is not a JPEG.
    case format
    /// Encoding it again would save less than a tenth of its size.
    case hardlySmaller = "hardly_smaller"
    /// Moderation had its renditions blurred, which could not be undone without the original.
    case blurred
    /// A rethumb run has created renditions of it that are not shown yet.
    case unseenRun = "unseen_run"
    /// The post does not show renditions of all recipes.
    case renditionsMissing = "renditions_missing"
    /// The largest rendition is smaller than the largest recipe would make it.
    case renditionsSmall = "renditions_small"
    /// The checksum of a rendition is not recorded; `tintype store verify` records it.
    case renditionsUnknown = "renditions_unknown"
    /// A rendition's file is missing, or has other bytes.
    case renditionsDamaged = "renditions_damaged"
}

/// The state of a post run.
package enum PostRunState: String, Codable, CaseIterable, Sendable {
    case running, paused, finished, cancelled, failed
    /// All posts are rendered, and wait for the switch.
    case prepared
    /// The posts show their former renditions again.
    case rolledBack = "rolled_back"

    /// Whether the run has ended; a roll-back is still possible.
    package var isEnded: Bool { ![.running, .paused, .prepared].contains(self) }
}

/// The time at which a rethumb run switches posts to its renditions.
package enum PostRunSwitch: String, Codable, CaseIterable, Sendable {
    /// Each post as soon as it is rendered.
    case each
    /// All posts on request, after the last is rendered.
    case last
}

/// The current phase of a post run.
package enum PostRunPhase: String, Codable, CaseIterable, Sendable {
    /// Rendering, and with `each` switching; or the work of another kind of run.
    case render
    case `switch`
    case rollback
}

/// A post run, which continues without its client.
package struct PostRunDocument: Document, Hashable {
    package let id: String
    package let kind: PostRunKind
    package let state: PostRunState
    /// The id of the user whose posts the run is limited to.
    package var user: String?
    /// The earliest time of the posts that the run is limited to, in milliseconds since the epoch.
    package var since: Int64?
    package var onlyMissing = false
    /// The time before which the posts were created that the run is limited to, in milliseconds since the epoch.
    package var until: Int64?
    package var onlyDamaged: Bool?
    /// Whether the run is limited to the posts of a list.
    package var listed: Bool?
    /// The recipes of a rethumb run, if they are not those of the settings.
    package var recipes: [String]?
    /// The rule of a run over originals, such as `drop,365d`.
    package var rule: String?
    package var concurrency: Int?
    /// The largest number of posts per second.
    package var limit: Int?
    /// The time at which a rethumb run switches posts to its renditions.
    package var switches: PostRunSwitch?
    package var phase = PostRunPhase.render
    package var total = 0
    package var done = 0
    /// The number of posts that were switched to other files.
    package var switched = 0
    package var failed = 0
    /// The reason why the last failed post could not be switched.
    package var lastFailure: String?
    /// The reason why the run waits, with the path or post concerned; absent while it does not wait.
    package var waiting: String?
    /// The error that ended the run early.
    package var fault: String?
    /// The time of the run's creation, in milliseconds since the epoch.
    package let createdAt: Int64
    /// The same time, by the name that all documents have.
    package let created: Int64?
    /// The time at which the run was last saved, with its state and its progress, in milliseconds since the epoch.
    package var updated: Int64?
    package var endedAt: Int64?
    /// The time for which the run was active, in milliseconds, without its pauses.
    package var activeMilliseconds: Int64 = 0
    /// The posts per second.
    package var rate: Double?
    /// The estimated seconds until the end.
    package var secondsLeft: Int?

    private enum CodingKeys: String, CodingKey {
        case id, kind, state, user, since
        case onlyMissing = "only_missing"
        case until
        case onlyDamaged = "only_damaged"
        case listed, recipes, rule, concurrency, limit
        case switches = "switch"
        case phase
        case total, done, switched, failed
        case lastFailure = "last_failure"
        case waiting, fault
        case createdAt = "created_at"
        case created, updated
        case endedAt = "ended_at"
        case activeMilliseconds = "active_ms"
        case rate
        case secondsLeft = "seconds_left"
    }

    package init(id: String, kind: PostRunKind, state: PostRunState, createdAt: Int64) {
        (self.id, self.kind, self.state, self.createdAt) = (id, kind, state, createdAt)
        created = createdAt
    }
}

/// The post runs: those that are active and the last that have ended, the newest first.
package struct PostRunListDocument: Document {
    package let jobs: [PostRunDocument]

    package init(jobs: [PostRunDocument]) { self.jobs = jobs }
}

/// The estimated effect of a post run.
package struct BatchPlanDocument: Document {
    package let kind: PostRunKind
    /// The number of posts that the run would look at.
    package let total: Int
    /// The number of posts that the run would change.
    package let posts: Int
    /// The number of posts that could not be changed.
    package let failed: Int
    package var lastFailure: String?
    /// The number of posts in the sample from which the other numbers are estimated; absent if all posts were looked
    /// at.
    package var sampled: Int?
    /// The estimated duration, in seconds; absent if there is no basis for an estimate.
    package var seconds: Int?
    /// The total size of the new renditions, in bytes; absent if there is no basis for an estimate.
    package var bytes: Int?
    /// The rule of a run over originals.
    package var rule: String?
    /// The total size of the originals that a run over originals would change, in bytes.
    package var bytesNow: Int?
    /// Their total size after the run, in bytes; absent if there is no basis for an estimate.
    package var bytesAfter: Int?
    /// The number of originals that a run over originals would leave as they are, by reason (`OriginalObstacle`).
    package var kept: [String: Int]?

    private enum CodingKeys: String, CodingKey {
        case kind, total, posts, failed
        case lastFailure = "last_failure"
        case sampled, seconds, bytes, rule
        case bytesNow = "bytes_now"
        case bytesAfter = "bytes_after"
        case kept
    }

    package init(kind: PostRunKind, total: Int, posts: Int, failed: Int) {
        (self.kind, self.total, self.posts, self.failed) = (kind, total, posts, failed)
    }
}
