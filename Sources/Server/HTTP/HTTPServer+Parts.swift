package import Keeping
package import Social
package import Store
import Tree
package import Uploads

extension HTTPServer {
    /// The parts of the service that the server makes available; each route is given those that it needs.
    package struct Parts: Sendable {
        let storage: StorageFolder
        let disk: DiskMonitor
        let settings: SharedSettings
        // Photos on their way in.
        let store: UploadStore
        let receiver: UploadReceiver
        let files: ResumableFiles
        let resumable: ResumableUploads
        let objects: ObjectStore
        let quotas: UserQuotas
        // Posts on their way out, and those that are there.
        let scheduler: RenderScheduler
        let publisher: Publisher
        let index: PhotoIndex
        let restrictions: ModerationRestrictions
        let moderation: PostModeration
        let expiry: PostExpiry
        let unclaimed: UnclaimedFiles
        let usage: UsageReader
        // Work over many posts.
        let jobs: JobWorker
        let leftovers: any PersonLeftovers
        let batches: BatchJobs
        let tools: PostTools
        let jobSlot: JobSlot
        let auditTools: AuditTools
        let auditSlot: JobSlot
        let report: PipelineReport

        package init(
            storage: StorageFolder,
            disk: DiskMonitor,
            settings: SharedSettings,
            store: UploadStore,
            receiver: UploadReceiver,
            files: ResumableFiles,
            resumable: ResumableUploads,
            objects: ObjectStore,
            quotas: UserQuotas,
            scheduler: RenderScheduler,
            publisher: Publisher,
            index: PhotoIndex,
            restrictions: ModerationRestrictions,
            moderation: PostModeration,
            expiry: PostExpiry,
            unclaimed: UnclaimedFiles,
            usage: UsageReader,
            jobs: JobWorker,
            leftovers: any PersonLeftovers,
            batches: BatchJobs,
            tools: PostTools,
            jobSlot: JobSlot,
            auditTools: AuditTools,
            auditSlot: JobSlot,
            report: PipelineReport
        ) {
            self.storage = storage
            self.disk = disk
            self.settings = settings
            self.store = store
            self.receiver = receiver
            self.files = files
            self.resumable = resumable
            self.objects = objects
            self.quotas = quotas
            self.scheduler = scheduler
            self.publisher = publisher
            self.index = index
            self.restrictions = restrictions
            self.moderation = moderation
            self.expiry = expiry
            self.unclaimed = unclaimed
            self.usage = usage
            self.jobs = jobs
            self.leftovers = leftovers
            self.batches = batches
            self.tools = tools
            self.jobSlot = jobSlot
            self.auditTools = auditTools
            self.auditSlot = auditSlot
            self.report = report
        }

        var tree: TreeStore { storage.tree }
    }
}
