/// What a job over posts does.
package enum PostRunKind: String, Codable, CaseIterable, Sendable {
    /// Renders them again by the present recipes.
    case rethumb
    /// Takes the place out of their originals.
    case scrub
    /// Does with originals what a rule says, once their posts are old enough.
    case originals
}

/// Why an original is left as it is by a rule for originals.
package enum OriginalObstacle: String, CaseIterable, Sendable {
    /// It was encoded again, or dropped, before.
    case done
    /// It is a photo of the bucket, whose clients see to it themselves.
    case bucket
    /// It is no JPEG.
    case format
    /// It would become less than a tenth smaller.
    case hardlySmaller = "hardly_smaller"
    /// Moderation had its renditions blurred: without the original that could not be taken back.
    case blurred
    /// A run has made renditions of it that nobody has seen yet.
    case unseenRun = "unseen_run"
    /// The post does not show renditions of all recipes.
    case renditionsMissing = "renditions_missing"
    /// The largest rendition is smaller than the largest recipe would make it.
    case renditionsSmall = "renditions_small"
    /// Nobody knows what bytes a rendition was made with: `tintype verify` writes it down.
    case renditionsUnknown = "renditions_unknown"
    /// A rendition's file is gone, or has other bytes.
    case renditionsDamaged = "renditions_damaged"
}

/// How a job over posts is.
package enum PostRunState: String, Codable, CaseIterable, Sendable {
    case running, paused, finished, cancelled, failed
    /// All is rendered, and waits for the switch.
    case prepared
    /// The posts show again what they showed before.
    case rolledBack = "rolled_back"

    /// Whether it goes on no more, but for a roll-back.
    package var isEnded: Bool { ![.running, .paused, .prepared].contains(self) }
}

/// When a job has posts show what it has rendered.
package enum PostRunSwitch: String, Codable, CaseIterable, Sendable {
    /// Each post once it is rendered.
    case each
    /// All posts when somebody says so, after the last is rendered.
    case last
}

/// What a job over posts is at.
package enum PostRunPhase: String, Codable, CaseIterable, Sendable {
    /// Rendering, and with `each` switching; or what else the job does.
    case render
    case `switch`
    case rollback
}

/// A job over posts that goes on without whoever began it.
package struct PostRunDocument: Document, Hashable {
    package let id: String
    package let kind: PostRunKind
    package let state: PostRunState
    /// Only this person's posts.
    package var user: String?
    /// Only posts since then, in milliseconds since the epoch.
    package var since: Int64?
    package var onlyMissing = false
    /// Only posts made before then, in milliseconds since the epoch.
    package var until: Int64?
    package var onlyDamaged: Bool?
    /// Whether it is for the posts of a list alone.
    package var listed: Bool?
    /// Of a job that renders: its recipes, where they are not those of the settings.
    package var recipes: [String]?
    /// Of a job over originals: what it does, such as `drop,365d`.
    package var rule: String?
    package var concurrency: Int?
    /// How many posts it looks at in a second at most.
    package var limit: Int?
    /// Of a job that renders: when posts show what it has made.
    package var switches: PostRunSwitch?
    package var phase = PostRunPhase.render
    package var total = 0
    package var done = 0
    /// How many posts were switched to other files.
    package var switched = 0
    package var failed = 0
    /// Why the last of the failed posts could not be switched.
    package var lastFailure: String?
    /// The reason for which the job waits, and the place; absent while it does not wait.
    package var waiting: String?
    /// What ended the job before its end.
    package var fault: String?
    /// Milliseconds since the epoch.
    package let createdAt: Int64
    package var endedAt: Int64?
    /// How long it ran, in milliseconds, without its pauses.
    package var activeMilliseconds: Int64 = 0
    /// Posts in a second.
    package var rate: Double?
    /// Seconds until its end, if it goes on as so far.
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
        case endedAt = "ended_at"
        case activeMilliseconds = "active_ms"
        case rate
        case secondsLeft = "seconds_left"
    }

    package init(id: String, kind: PostRunKind, state: PostRunState, createdAt: Int64) {
        (self.id, self.kind, self.state, self.createdAt) = (id, kind, state, createdAt)
    }
}

/// The jobs over posts: those that go on and the last that have ended, the newest first.
package struct PostRunListDocument: Document {
    package let jobs: [PostRunDocument]

    package init(jobs: [PostRunDocument]) { self.jobs = jobs }
}

/// What a job over posts would do.
package struct BatchPlanDocument: Document {
    package let kind: PostRunKind
    /// How many posts it would look at.
    package let total: Int
    /// How many it would change.
    package let posts: Int
    /// How many could not be changed.
    package let failed: Int
    package var lastFailure: String?
    /// How many were looked at, by which the other numbers are estimated; absent where all were.
    package var sampled: Int?
    /// How long that would take; absent where nothing can tell.
    package var seconds: Int?
    /// The bytes of the renditions that it would make; absent where nothing can tell.
    package var bytes: Int?
    /// Of a job over originals: what it would do.
    package var rule: String?
    /// Of a job over originals: the bytes of those that it would change.
    package var bytesNow: Int?
    /// The bytes that there would be of them then; absent where nothing can tell.
    package var bytesAfter: Int?
    /// Of a job over originals: how many it would leave as they are, by the reason (`OriginalObstacle`).
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
