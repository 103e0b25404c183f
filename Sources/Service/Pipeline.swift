import Inbox
package import Keeping
package import Logging
package import Social
package import Store
package import Tree
package import Uploads

/// The pipeline, put together: it brings uploads from their reservation to a post, safe against a crash at every step.
///
/// An upload is received by a session of ``receiver``, waits in the queue of ``store``, is rendered by ``scheduler`` and
/// committed by ``publisher``; ``janitor`` sweeps what is left over, and ``disk`` pauses the intake while nothing can be
/// written. ``UploadState`` is the table of what can happen to an upload. The parts may be used from any task, whether the
/// service runs or not; `run()` does what happens by itself.
package final class Pipeline: Sendable {
    package let storage: StorageFolder
    /// What brings data of an earlier version forward.
    package let upgrade: DataUpgrade
    package let disk: DiskMonitor
    /// How much each user may store.
    package let quotas: UserQuotas
    package let scheduler: RenderScheduler
    package let store: UploadStore
    package let receiver: UploadReceiver
    /// Files that come in several requests, for uploads and for other parts of the server.
    package let files: ResumableFiles
    /// Uploads whose photo comes in several requests.
    package let resumable: ResumableUploads
    package let publisher: Publisher
    package let index: PhotoIndex
    package let janitor: Janitor
    package let unclaimed: UnclaimedFiles
    package let expiry: PostExpiry
    /// What clients of a bucket store.
    package let objects: ObjectStore
    /// Does what is too much for the commit that causes it.
    package let tasks: FollowUpTaskWorker
    /// What people have left here when they are deleted.
    package let leftovers: any UploadCleanup
    /// Jobs over posts that go on without whoever began them.
    package let postRuns: PostRuns
    /// What the last audits came to.
    package let audits: StoreCheckResults
    /// Room for one job over posts at a time, whoever waits for it.
    package let postRunSlot = PostRunSlot()
    /// Room for one audit at a time that somebody waits for.
    package let storeCheckSlot = PostRunSlot()
    package let renditions: RenditionMaker
    /// The parts that jobs over posts work with.
    package let tools: PostTools
    /// The parts that a way in works with which takes photos itself.
    package var intake: IntakeTools {
        IntakeTools(
            storage: storage, disk: disk, store: store, receiver: receiver, index: index,
            isModerated: restrictions.isModerated, shared: shared)
    }
    /// The parts that audits work with.
    package let storeCheckTools: StoreCheckTools
    /// Decides about posts that are there.
    package var moderation: PostModeration {
        PostModeration(tools, publisher)
    }
    /// The restrictions that moderation puts on files.
    package let restrictions: ModerationRestrictions
    /// Tells how much room files take up.
    package var usage: UsageReader {
        UsageReader(tree, settings: shared, count: upgrade.usage)
    }
    /// Tells how the pipeline is doing.
    package var report: PipelineReport {
        PipelineReport(
            storage: storage, store: store, disk: disk, postRuns: postRuns, unclaimed: unclaimed, expiry: expiry,
            audits: audits, settings: shared)
    }
    package let garbage: GarbageList
    let poison: PoisonList
    let workers: UploadWorkers
    /// The present settings, for parts that follow them.
    package let shared: SharedSettings
    let logger: Logger

    package var tree: TreeStore { storage.tree }
    /// Whether somebody decides about posts before they are published.
    package var isModerated: Bool { restrictions.isModerated }
    /// The present settings. Whoever needs several of them to go together reads them once.
    package var settings: PipelineSettings { shared.value }

    /// Puts the parts together, each from those before it.
    ///
    /// - Parameters:
    ///   - settings: The present settings, for parts that follow them.
    ///   - intakes: The handlers of the ways in; nil for the inbox and the socket.
    package init(
        storage: StorageFolder, settings: PipelineSettings, renderer: any PhotoRenderer = InProcessRenderer(),
        moderator: Moderator? = nil, logger: Logger, intakes: IntakeHandlers? = nil
    ) {
        let shared = SharedSettings(settings)
        let (tree, blobs, metrics) = (storage.tree, storage.blobs, UploadMetrics(storage.metrics))
        let intakes =
            intakes
            ?? IntakeHandlers(
                inbox: InboxIntake(storage, settings: { shared.value }, logger: logger), socket: HTTPIntake(storage),
                putAside: FailedFilesOfService(storage))
        self.storage = storage
        upgrade = DataUpgrade(storage, logger: logger)
        self.shared = shared
        self.logger = logger
        disk = DiskMonitor(storage, reserve: { shared.value.freeSpaceReserve }, logger: logger)
        quotas = UserQuotas(tree, settings: shared)
        scheduler = RenderScheduler(renderer, workers: settings.workers, metrics: storage.metrics)
        poison = PoisonList(tree: tree, folder: storage.root, settings: shared, clock: storage.clock)
        renditions = RenditionMaker(
            blobs: blobs, scheduler: scheduler, poison: poison, settings: shared, disk: disk,
            recipes: RecipeBook(tree), clock: storage.clock)
        store = UploadStore(
            tree: tree, ids: storage.ids, clock: storage.clock, settings: shared, intakes: intakes,
            logger: logger, metrics: metrics)
        let ingester = PhotoIngester(storage, settings: shared, disk: disk, metrics: metrics)
        receiver = UploadReceiver(store: store, ingester: ingester, renditions: renditions, quotas: quotas)
        files = ResumableFiles(storage, disk: disk, settings: shared, quotas: quotas)
        resumable = ResumableUploads(
            files: files, store: store, ingester: ingester, renditions: renditions, settings: shared, logger: logger)
        objects = ObjectStore(
            tree: tree, blobs: blobs, store: store, ingester: ingester, files: files, settings: shared)
        garbage = GarbageList(storage: storage, tree: tree, blobs: blobs, store: store, settings: shared)
        index = PhotoIndex(storage)
        publisher = Publisher(
            tree: tree, blobs: blobs, store: store, renditions: renditions, garbage: garbage, index: index,
            settings: shared, publicBase: storage.publicBase, moderator: moderator, logger: logger)
        expiry = PostExpiry(tree: tree, publisher: publisher, store: store, settings: shared, logger: logger)
        unclaimed = UnclaimedFiles(storage, logger: logger)
        janitor = Janitor(
            storage: storage, store: store,
            deletedPosts: DeletedPostSweeper(
                tree: tree, blobs: blobs, store: store, settings: shared, locks: garbage.locks, logger: logger),
            expiry: UploadExpiry(tree: tree, store: store, settings: shared, logger: logger), posts: expiry,
            garbage: garbage, unclaimed: unclaimed, disk: disk,
            resumable: ResumableSweeper(files: files, uploads: resumable, settings: shared, logger: logger),
            logger: logger)
        leftovers = PersonUploads(store: store)
        tasks = FollowUpTaskWorker(tree, uploads: leftovers, clock: storage.clock, logger: logger)
        postRuns = PostRuns(tree, ids: storage.ids, clock: storage.clock, logger: logger)
        audits = StoreCheckResults(tree, clock: storage.clock)
        tools = PostTools(
            tree: tree, blobs: blobs, publicBase: storage.publicBase, store: store, renditions: renditions,
            scheduler: scheduler, garbage: garbage, disk: disk, shared: shared)
        storeCheckTools = StoreCheckTools(
            storage: storage, posts: tools, unclaimed: unclaimed, deletedPosts: janitor.deletedPosts,
            rules: TreeInvariant.all + TreeInvariant.ofAccounts, results: audits)
        restrictions = ModerationRestrictions(isModerated: moderator != nil)
        workers = UploadWorkers(store: store, publisher: publisher, disk: disk, logger: logger)
    }

    /// Works by other settings from now on. The number of workers, and whatever else is read at the start alone, stays.
    package func adopt(_ settings: PipelineSettings) {
        shared.adopt(settings)
        disk.lookSoon()
    }
}
