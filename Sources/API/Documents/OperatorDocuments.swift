/// How far a job is that goes through posts.
package struct JobDocument: Document {
    package var total = 0
    package var done = 0
    /// How many posts were switched to other files, or would be.
    package var switched = 0
    package var failed = 0
    package var finished = false
    /// Why the last of the failed posts could not be switched.
    package var lastFailure: String?

    private enum CodingKeys: String, CodingKey {
        case total, done, switched, failed, finished
        case lastFailure = "last_failure"
    }

    package init() {}
}

/// The end of a job that failed.
package struct JobFailureDocument: Document {
    package var finished = false
    package let error: Failure
    /// Whether the same job may succeed later with nothing changed but the circumstances.
    package let transient: Bool

    package init(_ error: Failure) {
        self.error = error
        transient = error.isTransient
    }
}

/// What became of a post's originals when the place was taken out of them.
package struct ScrubbedPostDocument: Document {
    package let postID: String
    package let photos: [ScrubDocument]

    private enum CodingKeys: String, CodingKey {
        case postID = "post_id"
        case photos
    }

    package init(postID: String, photos: [ScrubDocument]) {
        self.postID = postID
        self.photos = photos
    }
}

/// What a reload of the settings changes.
package struct ReloadDocument: Document {
    package let settings: [SettingsChange]

    package init(settings: [SettingsChange]) { self.settings = settings }
}

/// A setting that the operator chose otherwise than the service runs by.
package struct SettingsChange: Document {
    /// What becomes of it.
    package enum Effect: String, Codable, CaseIterable, Sendable {
        /// It holds from now on.
        case applied
        /// It holds from the next start on.
        case needsRestart = "needs_restart"
        /// It never holds: something stronger says otherwise, such as a flag that the service was started with.
        case overridden
    }

    package let name: String
    /// By what the service ran until now.
    package let running: String
    /// What was chosen.
    package let chosen: String
    package let effect: Effect
    /// What overrides it.
    package let by: String?

    package init(name: String, running: String, chosen: String, effect: Effect, by: String? = nil) {
        self.name = name
        self.running = running
        self.chosen = chosen
        self.effect = effect
        self.by = by
    }
}

/// Files in the blob store that no post claims.
package struct UnclaimedDocument: Document {
    package let owner: String
    package let post: String
    package let files: Int
    package let bytes: Int

    package init(owner: String, post: String, files: Int, bytes: Int) {
        self.owner = owner
        self.post = post
        self.files = files
        self.bytes = bytes
    }
}

/// The deletion of files that no post claimed.
package struct UnclaimedDeletionDocument: Document {
    package let post: String
    package var deleted = true

    package init(post: String) { self.post = post }
}

/// That tree and blobs are taken for one store.
package struct AcceptanceDocument: Document {
    package var accepted = true

    package init() {}
}
