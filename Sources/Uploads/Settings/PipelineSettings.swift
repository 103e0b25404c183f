package import Imaging
import Isolation
package import Store

/// The settings of the pipeline.
package struct PipelineSettings: Sendable {
    /// The renditions that every photo gets, by name.
    package var recipes: [Recipe] = Recipe.defaults
    /// The limits beyond which a photo is refused.
    package var limits = ImageLimits()
    /// The number of photos that are rendered at once.
    package var workers: Int
    /// Whether an unknown user's first post creates the person; otherwise it is refused.
    package var createsPeople = true
    /// The time after which an unused reservation or draft expires.
    package var draftLifetime: Duration = .seconds(24 * 3600)
    /// The time that a replaced rendition stays, for readers that saw its address before the switch, and that the files
    /// of a deleted post stay.
    package var gracePeriod: Duration = .seconds(48 * 3600)
    /// The time for which an upload that ended without a post can be looked up by its id or its idempotency key.
    /// Published uploads can be looked up as long as the service has their records, which re-thumbnailing needs.
    package var recordLifetime: Duration = .seconds(30 * 24 * 3600)
    /// The age at which posts are deleted; nil for never.
    package var postRetention: Duration?
    /// The default quotas: limits on the bytes of originals, objects and unfinished uploads of users without a quota of
    /// their own.
    package var userQuota = StandardQuotas()
    /// The rule for originals of old posts; nil to keep them.
    package var originals: OriginalRule?
    /// The time for which a photo that crashed its decoder is refused without being decoded.
    package var poisonLifetime: Duration = .seconds(30 * 24 * 3600)
    /// The version of the decoders. Photos that another version refused are tried again.
    package var decoderVersion = WorkerProgram.version
    /// The times that finished files stay in `done/` and `failed/`.
    package var retention = Retention()
    /// The treatment of dropped files whose bytes were posted before.
    package var duplicates = DuplicatePolicies()
    /// The free space on the disk that is required for new uploads.
    package var freeSpaceReserve = FreeSpaceReserve.standard
    /// The interval between automatic store checks; nil for none.
    package var checkInterval: Duration? = .seconds(86_400)
    /// The time within which each file is read and compared once; nil for never.
    package var verifyInterval: Duration? = .seconds(30 * 86_400)
    /// The number of bytes read per second for this comparison.
    package var verifyRate = 10_000_000
    /// The largest number of photos in a post.
    package var maxPhotos = 20

    package init(workers: Int) {
        self.workers = workers
    }
}
