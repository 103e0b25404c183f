package import API
import Access
import Files
import Imaging
package import Keeping
import Model
package import Requests
package import Store
import Synchronization
package import Transport
import Tree
package import Uploads

/// Creates the report for the operators' page. It is created at most once in its lifetime, whatever the number of
/// readers.
package final class OperationsReport: Sendable {
    /// The largest number of listed streams and sessions.
    private static let listed = 100
    /// The time for which a report is reused.
    private static let lifetime = Duration.milliseconds(900)

    package let history: RateHistory
    private let parts: Parts
    private let health: HealthRoutes
    private let room: ConnectionLimiter
    private let open: OpenStreams
    private let audit: AuditLog
    private let startedAt = WallClock.now()
    private let pages: PageAddresses
    private let last = Mutex<(document: OperationsDocument, time: ContinuousClock.Instant)?>(nil)

    /// The parts of the pipeline that the report covers.
    package struct Parts: Sendable {
        let storage: StorageFolder
        let disk: DiskMonitor
        let store: UploadStore
        let scheduler: RenderScheduler
        let postRuns: PostRuns

        package init(
            storage: StorageFolder, disk: DiskMonitor, store: UploadStore, scheduler: RenderScheduler,
            postRuns: PostRuns
        ) {
            self.storage = storage
            self.disk = disk
            self.store = store
            self.scheduler = scheduler
            self.postRuns = postRuns
        }
    }

    package init(
        _ parts: Parts, _ health: HealthRoutes, room: ConnectionLimiter, open: OpenStreams, audit: AuditLog,
        traffic: Traffic, pages: PageAddresses
    ) {
        self.pages = pages
        (self.parts, self.health, self.room, self.open, self.audit) = (parts, health, room, open, audit)
        let counters = parts.store.counters
        history = RateHistory {
            RateHistory.Counts(
                accepted: counters[.ingested], published: counters[.published], failed: counters[.failed],
                requests: traffic.requestCount, bytes: traffic.byteCount)
        }
    }

    /// Returns the current report, at most a second old.
    func document() async throws -> OperationsDocument {
        if let last = last.withLock(\.self), last.time + Self.lifetime > .now { return last.document }
        let document = try await make()
        last.withLock { $0 = (document, .now) }
        return document
    }

    /// Creates a report of the current state.
    private func make() async throws -> OperationsDocument {
        let status = try await health.document()
        let disk = await disk(status.freeSpace)
        let (running, listed) = (parts.scheduler.works, open.list(Self.listed))
        let users = Set(running.map(\.user) + listed.compactMap(\.proof.identity.uid))
        let names = try await parts.storage.tree.snapshot { snapshot in try Person.names(of: users, in: snapshot) }
        let works = running.map { work in
            var document = OperationsDocument.Work(
                upload: work.upload, user: work.user, bytes: work.byteCount, priority: "\(work.priority)",
                since: work.since.milliseconds)
            document.fullName = names[work.user]
            return document
        }
        return OperationsDocument(
            time: WallClock.now().milliseconds, startedAt: startedAt.milliseconds, pages: pages.all, status: status,
            rates: history.rates, history: history.history,
            workers: .init(
                count: parts.scheduler.workers,
                batch: parts.scheduler.hasBackground ? parts.scheduler.workers : 0, busy: works), disk: disk,
            memory: await Self.residentBytes(), connections: connections(listed, names),
            failures: parts.store.intakes.putAside.changeCount, refusals: audit.toldCount,
            jobs: parts.postRuns.known.map { PostRunDocument($0, waiting: parts.disk.obstacle) })
    }

    /// - Parameter names: The names of users, by their ids.
    private func connections(
        _ entries: [OpenStreams.Entry], _ names: [String: String]
    ) -> OperationsDocument.Connections {
        let local = room.socketCount
        let list = entries.map { entry in
            var document = OperationsDocument.Connection(
                entry.kind == .stream ? .stream : .session, what: entry.what.printable, address: entry.address,
                identity: entry.proof.words.printable, since: entry.since.milliseconds)
            document.fullName = entry.proof.identity.uid.flatMap { names[$0] }
            return document
        }
        return .init(
            tcp: max(0, room.count - local), socket: local, streams: open.count(.stream),
            sessions: open.count(.session), list: list)
    }

    private func disk(_ space: StatusDocument.FreeSpace?) async -> OperationsDocument.Disk {
        var disk = OperationsDocument.Disk()
        (disk.free, disk.reserve, disk.total) = (space?.bytes, space?.reserve, parts.disk.totalBytes)
        disk.tree = await parts.storage.treeByteCount()
        return disk
    }

    /// Returns the resident memory of this process, in bytes, as Linux reports it (`proc_pid_statm(5)`); nil
    /// elsewhere.
    private static func residentBytes() async -> Int? {
        let text = try? await FileThreads.run { () throws(FileError) in
            try FileReader(path: "/proc/self/statm").read(at: 0, maxBytes: 4096)
        }
        guard let words = text.map({ String(decoding: $0, as: UTF8.self).split(separator: " ") }), words.count > 1
        else {
            return nil
        }
        return Int(words[1]).map { $0 * 4096 }
    }
}

extension Proof {
    /// The identity, and for an admin also the label of the proof.
    fileprivate var words: String { identity == .admin ? "admin, \(label)" : identity.description }
}

extension PostRunDocument {
    /// - Parameter obstacle: The reason that work waits at present; nil if it does not.
    package init(_ job: PostRun, waiting obstacle: String?) {
        self.init(id: job.id.string, kind: job.kind, state: job.state, createdAt: job.createdAt.milliseconds)
        (user, onlyMissing) = (job.selection.user?.description, job.selection.onlyMissing)
        (since, until) = (job.selection.since?.milliseconds, job.selection.until?.milliseconds)
        onlyDamaged = job.selection.onlyDamaged ? true : nil
        (listed, recipes) = (job.isListed ? true : nil, job.recipes?.map(\.description))
        rule = job.rule?.description
        (concurrency, limit) = (job.pace.concurrency, job.pace.postsPerSecond)
        (switches, phase) = (job.kind == .rethumb ? job.switches : nil, job.phase)
        (total, done) = (job.progress.total, job.progress.done)
        (switched, failed, lastFailure) = (job.progress.switched, job.progress.failed, job.progress.lastFailure)
        waiting = job.state == .running ? obstacle : nil
        (fault, endedAt, activeMilliseconds) = (job.fault, job.endedAt?.milliseconds, job.activeMilliseconds)
        updated = job.updatedAt.milliseconds
        (rate, secondsLeft) = (job.postsPerSecond.map { ($0 * 100).rounded() / 100 }, job.secondsLeft)
    }
}
