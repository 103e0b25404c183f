package import Logging
import NIOPosix
package import Posts
import ServiceLifecycle
import Synchronization
package import Tree

/// The life of an upload: reserve → ingest → render → commit, safe against a crash at every arrow.
///
/// The moves are in the files of those names; `UploadState` is their table. The ways in call `reserve`, `stage`, `ingest`,
/// `accept`, `publish` and `outcome` from any task. `run()` does the rest: recovery, rendering, committing, sweeping.
package final class UploadPipeline: Service {
    package let storage: StorageFolder
    private let live: LiveSettings
    let renderer: any PhotoRenderer
    var ids: PushIDGenerator { storage.ids }
    let queue = UploadQueue()
    let partCount = Atomic(0)
    /// Held while a post's renditions are switched, and while replaced ones are deleted: a recipe that comes back gives
    /// files their old names again, and these must not be deleted as the garbage that they were before.
    let renditionsInFlux = AsyncSemaphore(1)
    let outcomes = UploadCounters()
    /// How far the job that re-thumbnails is; nil while none does.
    let rethumb = Mutex<Rethumb.Progress?>(nil)
    let unclaimed = Unclaimed()
    /// Given up by their senders, while a fault kept this from being written down; with when they were, in
    /// milliseconds since the epoch.
    let abandoned = Mutex<[PostID: Int64]>([:])
    let logger: Logger
    let watch: DiskMonitor
    /// Decoding and file calls happen here, never on the cooperative pool.
    let renderThreads: NIOThreadPool
    let fileThreads = NIOThreadPool.singleton

    package var tree: TreeStore { storage.tree }
    /// By what it works just now. Whoever needs several of them to go together reads them once.
    package var settings: PipelineSettings { live.value }

    package init(
        storage: StorageFolder, settings: PipelineSettings, renderer: any PhotoRenderer = InProcessRenderer(),
        logger: Logger
    ) {
        self.storage = storage
        let live = LiveSettings(settings)
        self.live = live
        self.renderer = renderer
        self.logger = logger
        let fileThreads = fileThreads
        watch = DiskMonitor(storage, reserve: { live.value.freeSpaceReserve }, logger: logger) { body in
            try await fileThreads.runIfActive(body)
        }
        renderThreads = NIOThreadPool(numberOfThreads: max(1, settings.workers))
        renderThreads.start()
    }

    deinit {
        renderThreads.shutdownGracefully { _ in }
    }

    /// Works by other settings from now on, as far as they can change while it runs: recipes, `tolerant`, lifetimes and
    /// policies, and the reserve of free space.
    package func take(over settings: PipelineSettings) async throws {
        // No post gets some of its renditions by the old recipes and some by the new.
        await renditionsInFlux.withPermit { live.take(over: settings) }
        watch.lookSoon()
    }

    /// Takes up what the last run left, then renders and commits until a graceful shutdown: what is in work is finished,
    /// what waits stays in the tree for the next start.
    package func run() async throws {
        await watch.look(isSuspicious: false)
        await recoverAtLast()
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                // Twice as many as are rendered at a time: while one waits for the disk, another one is rendered.
                for _ in 0..<2 * max(1, settings.workers) {
                    group.addTask(name: "upload worker") { await self.work() }
                }
                group.addTask(name: "retries") { await self.queue.runRetries(self.waitForRetry) }
                group.addTask(name: "storage watch") { await self.watch.run() }
                group.addTask(name: "sweeper") { await self.sweepRegularly() }
            }
        } onCancelOrGracefulShutdown: {
            self.queue.close()
        }
    }

    private func work() async {
        while let id = await queue.next() {
            await intake.waitUntilOpen()
            await process(id)
        }
    }

    /// Brings one ingested upload to its end, or back into the queue when a passing fault is in the way.
    private func process(_ id: PostID) async {
        var logger = logger
        logger[metadataKey: "upload"] = "\(id)"
        do {
            guard let record = try await record(of: id), record.state == .ingested else {
                // Its verdict stands, but a fault kept its files from being put aside.
                try await cleanUp(id)
                return queue.finish(id)
            }
            do {
                let isPost = try await publish(record)
                outcomes.count(isPost ? .published : .duplicate)
                logger.info(
                    isPost ? "published" : "duplicate",
                    metadata: ["owner": "\(record.owner)", "photos": "\(record.photos.count)"])
            } catch let failure as PipelineError where !failure.isTransient {
                try await fail(id, from: .ingested, with: failure)
            }
            queue.finish(id)
        } catch {
            // A fault of the disk or the engine is never an upload's verdict, whatever its code.
            queue.setAside(id, after: PipelineError(error))
        }
    }

    /// Renders and commits, unless it is a duplicate, which would be rendered for nothing.
    private func publish(_ record: UploadRecord) async throws -> Bool {
        if try await endDuplicate(record, of: content(of: record)) { return false }
        return try await commit(render(record))
    }

    /// The record of an upload; nil when there is none.
    package func record(of id: PostID) async throws -> UploadRecord? {
        UploadRecord(id: id, value: try await tree.get(Paths.upload(id)))
    }

    /// Waits until the upload's story is over. Cancellation ends the wait, not the upload.
    package func outcome(of id: PostID) async throws -> UploadRecord {
        let subscription = try await tree.subscribe(to: Paths.upload(id) / "state")
        if !Self.isTerminal(subscription.value) {
            for try await event in subscription {
                if case .put(let write) = event.kind, Self.isTerminal(write.value) { break }
            }
        }
        guard let record = try await record(of: id) else { throw Self.unknownUpload(id) }
        return record
    }

    private static func isTerminal(_ state: TreeValue?) -> Bool {
        state?.stringValue.flatMap(UploadState.init)?.isTerminal ?? true
    }

    static func unknownUpload(_ id: PostID) -> PipelineError {
        PipelineError(.notFound, "there is no upload \(id)", hint: "it may have expired; send the photo again")
    }
}
