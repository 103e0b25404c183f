import Inbox
package import Keeping
package import Logging
package import Social
package import Store
package import Tree
package import Uploads

/// The pipeline as a whole: it processes uploads from their reservation to a post, and survives a crash at every step.
///
/// An upload is received by a session of ``receiver``, waits in the queue of ``store``, is rendered by ``scheduler``
/// and committed by ``publisher``. ``janitor`` sweeps leftovers, and ``disk`` pauses the intake while nothing can be
/// written. ``UploadState`` is the table of an upload's transitions. The parts may be used from any task, whether or
/// not the service runs; `run()` does the background work.
package final class Pipeline: Sendable {
    package let storage: StorageFolder
    /// The upgrade of data from earlier versions.
    package let upgrade: DataUpgrade
    package let disk: DiskMonitor
    /// The quotas of users.
    package let quotas: UserQuotas
    package let scheduler: RenderScheduler
    package let store: UploadStore
    package let receiver: UploadReceiver
    /// The files that arrive in several requests, for uploads and for other parts of the server.
    package let files: ResumableFiles
    /// The uploads whose photo arrives in several requests.
    package let resumable: ResumableUploads
    package let publisher: Publisher
    package let index: PhotoIndex
    package let janitor: Janitor
    package let unclaimed: UnclaimedFiles
    package let expiry: PostExpiry
    /// The objects of the bucket.
    package let objects: ObjectStore
    /// The worker on follow-up tasks, which are too much work for the commit that causes them.
    package let tasks: FollowUpTaskWorker
    /// The clean-up of deleted users' uploads.
    package let leftovers: any UploadCleanup
    /// The jobs over posts that run independently of their clients.
    package let postRuns: PostRuns
    /// The results of the last store checks.
    package let audits: StoreCheckResults
    /// The slot of jobs over posts, of which one runs at a time.
    package let postRunSlot = PostRunSlot()
    /// The slot of store checks that were requested, of which one runs at a time.
    package let storeCheckSlot = PostRunSlot()
    package let renditions: RenditionMaker
    /// The parts for jobs over posts.
    package let tools: PostTools
    /// The parts for a way in that claims photos itself.
    package var intake: IntakeTools {
        IntakeTools(
            storage: storage, disk: disk, store: store, receiver: receiver, index: index,
            isModerated: restrictions.isModerated, shared: shared)
    }
    /// The parts for store checks.
    package let storeCheckTools: StoreCheckTools
    /// The moderation of existing posts.
    package var moderation: PostModeration {
        PostModeration(tools, publisher)
    }
    /// The restrictions that moderation puts on files.
    package let restrictions: ModerationRestrictions
    /// The reader of the space that files use.
    package var usage: UsageReader {
        UsageReader(tree, settings: shared, count: upgrade.usage)
    }
    /// The report of the pipeline's state.
    package var report: PipelineReport {
        PipelineReport(
            storage: storage, store: store, disk: disk, postRuns: postRuns, unclaimed: unclaimed, expiry: expiry,
            audits: audits, settings: shared)
    }
    package let garbage: GarbageList
    /// The metrics of follow-up tasks and of deliveries.
    let work: WorkMetrics
    let poison: PoisonList
    let workers: UploadWorkers
    /// The current settings, for parts that follow their changes.
    package let shared: SharedSettings
    let logger: Logger

    package var tree: TreeStore { storage.tree }
    /// Whether posts are moderated before they are published.
    package var isModerated: Bool { restrictions.isModerated }
    /// The current settings. A caller that needs several consistent settings reads them once.
    package var settings: PipelineSettings { shared.value }

    /// Creates the parts in the order of their dependencies.
    ///
    /// - Parameters:
    ///   - settings: The current settings, for parts that follow their changes.
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
        (self.storage, self.shared, self.logger) = (storage, shared, logger)
        upgrade = DataUpgrade(storage, logger: logger)
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
        work = WorkMetrics(storage.metrics)
        tasks = FollowUpTaskWorker(
            tree, uploads: leftovers, clock: storage.clock, logger: logger, onFailure: work.countFailure(of:))
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

    /// Applies new settings. The number of workers and other settings that are read only at the start stay as they are.
    package func adopt(_ settings: PipelineSettings) {
        shared.adopt(settings)
        disk.lookSoon()
    }
}
