/// The progress of a job that processes posts.
package struct JobDocument: Document {
    package var total = 0
    package var done = 0
    /// The number of posts that were switched to other files, or would be.
    package var switched = 0
    package var failed = 0
    package var finished = false
    /// The reason why the last failed post could not be switched; nil if none has failed.
    package var lastFailure: String?

    private enum CodingKeys: String, CodingKey {
        case total, done, switched, failed, finished
        case lastFailure = "last_failure"
    }

    package init() {}
}

/// The last line of the response of a job that failed: the error, in place of the result.
package struct JobFailureDocument: Document {
    package var finished = false
    package let error: Failure
    /// Whether the same job may succeed later without a change.
    package let transient: Bool

    package init(_ error: Failure) {
        self.error = error
        transient = error.isTransient
    }
}

/// The outcome of removing the location from a post's originals.
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

/// The changes by a reload of the settings.
package struct ReloadDocument: Document {
    package let settings: [SettingsChange]

    package init(settings: [SettingsChange]) { self.settings = settings }
}

/// A setting whose chosen value differs from the value in use.
package struct SettingsChange: Document {
    /// The effect of the change.
    package enum Effect: String, Codable, CaseIterable, Sendable {
        /// The new value is in use.
        case applied
        /// The new value takes effect at the next start.
        case needsRestart = "needs_restart"
        /// The new value takes no effect: something stronger overrides it, such as a flag that the service was started
        /// with.
        case overridden
    }

    package let name: String
    /// The value in use before.
    package let running: String
    /// The chosen value.
    package let chosen: String
    package let effect: Effect
    /// The source that overrides the chosen value; nil if none does.
    package let by: String?

    package init(name: String, running: String, chosen: String, effect: Effect, by: String? = nil) {
        self.name = name
        self.running = running
        self.chosen = chosen
        self.effect = effect
        self.by = by
    }
}

/// Files in the blob store that no post names.
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

/// The deletion of unclaimed files.
package struct UnclaimedDeletionDocument: Document {
    package let post: String
    package var deleted = true

    package init(post: String) { self.post = post }
}

/// The acceptance of a tree and a blob store as one store.
package struct AcceptanceDocument: Document {
    package var accepted = true

    package init() {}
}
