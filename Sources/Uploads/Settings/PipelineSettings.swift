package import Imaging
import Isolation
package import Store

/// The settings of the pipeline.
package struct PipelineSettings: Sendable {
    /// The renditions that every photo gets, by name.
    package var recipes: [Recipe] = Recipe.defaults
    /// The limits beyond which a photo is refused.
    package var limits = ImageLimits()
    /// How many photos are rendered at a time.
    package var workers: Int
    /// Whether an unknown user's first post creates the person; otherwise it is refused.
    package var createsPeople = true
    /// How long a reservation or draft may be left alone.
    package var draftLifetime: Duration = .seconds(24 * 3600)
    /// How long a replaced rendition stays, for readers that saw its address before the switch; and how long the files of a
    /// deleted post do.
    package var gracePeriod: Duration = .seconds(48 * 3600)
    /// How long an upload that ended without a post can be asked for, by its id or its idempotency key. Those that were
    /// published can be for as long as the service has its records: re-thumbnailing needs them.
    package var recordLifetime: Duration = .seconds(30 * 24 * 3600)
    /// The age at which posts are deleted; nil for never.
    package var postRetention: Duration?
    /// The most bytes of originals, objects and unfinished uploads that a user may have, unless somebody chose otherwise for them.
    package var userQuota = StandardQuotas()
    /// What becomes of originals whose posts are old enough; nil for nothing.
    package var originals: OriginalRule?
    /// How long a photo that broke its decoder is refused without being decoded.
    package var poisonLifetime: Duration = .seconds(30 * 24 * 3600)
    /// The version of the decoders: what another one refused is tried again.
    package var decoderVersion = WorkerProgram.version
    /// How long what was dealt with stays in `done/` and `failed/`.
    package var retention = Retention()
    /// The treatment of dropped files whose bytes were posted before.
    package var duplicates = DuplicatePolicies()
    /// How much of the disk has to be free for new uploads to be taken.
    package var freeSpaceReserve = FreeSpaceReserve.standard
    /// How often the store is checked by itself; nil for never.
    package var checkInterval: Duration? = .seconds(86_400)
    /// The time within which each file is read and compared once; nil for never.
    package var verifyInterval: Duration? = .seconds(30 * 86_400)
    /// How many bytes are read for that in a second.
    package var verifyRate = 10_000_000
    /// Photos in one post, at most.
    package var maxPhotos = 20

    package init(workers: Int) {
        self.workers = workers
    }
}
