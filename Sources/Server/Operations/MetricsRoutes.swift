import API
import Backup
package import Files
import HTTPTypes
import Hummingbird
package import Keeping
package import Metering
import NIOCore
package import Requests
package import Transport
import Tree
package import Uploads

/// `/v1/metrics`: the service's counters and timers, and the numbers of `/v1/status`, in the text format of Prometheus.
package struct MetricsRoutes: Sendable {
    /// The parts whose state is read when the metrics are.
    package struct Parts: Sendable {
        let open: OpenStreams
        let audit: AuditLog
        let putAside: any PutAsideFiles
        let postRuns: PostRuns
        let storage: Directory

        package init(
            open: OpenStreams, audit: AuditLog, putAside: any PutAsideFiles, postRuns: PostRuns, storage: Directory
        ) {
            (self.open, self.audit, self.putAside, self.postRuns) = (open, audit, putAside, postRuns)
            self.storage = storage
        }
    }

    private let health: HealthRoutes
    private let registry: MetricsRegistry
    private let parts: Parts
    private let verification = LastVerification()

    package init(_ health: HealthRoutes, _ registry: MetricsRegistry, _ parts: Parts) {
        (self.health, self.registry, self.parts) = (health, registry, parts)
    }

    package func add(to routes: inout RouteTable) {
        let metrics = Endpoint(
            "getMetrics", in: .operations, "Get counters, times and the numbers of the status, for Prometheus",
            details: "For admins, and on this machine.",
            answers: [.content("text/plain", .text)], errors: [.badToken, .adminOnly], run: metrics)
        routes.add("/v1/metrics", [.get: metrics])
    }

    @Sendable private func metrics(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try context.requireAdminOrThisMachine(sending: request, for: "the status of the service")
        var text = Exposition()
        text.add(try await health.document(), at: WallClock.now().milliseconds)
        text.add(connections: health.room, parts.open, refused: parts.audit.refusedConnectionCount)
        text.add(postRuns: parts.postRuns.known)
        let putAside = parts.putAside
        text.add(
            Metric("tintype_failed_files", .gauge, "Files that could not become posts, by the code of their reason."),
            by: "reason",
            await FileThreads.run { (try? putAside.counts()) ?? [:] }.sorted { $0.key < $1.key }
                .map { ($0.key, $0.value) })
        let backup = await FileThreads.run { [storage = parts.storage] in BackupRecord.last(in: storage) }
        text.add(backup, verifiedAt: await verifiedAt(backup))
        text.add(await FileThreads.run { ProcessFigures() })
        registry.write(to: &text)
        return Response(
            status: .ok, headers: [.contentType: Exposition.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }

    /// Returns the time of the last good verification of the folder of a backup, in milliseconds since the epoch.
    private func verifiedAt(_ backup: BackupRecord?) async -> Int64? {
        guard let backup else { return nil }
        return await verification.mark(of: backup.path)?.verifiedAt
    }
}

/// A service's status as metrics, computed when they are read.
extension Exposition {
    /// Adds the status.
    ///
    /// - Parameter now: The present time, in milliseconds since the epoch.
    mutating func add(_ status: StatusDocument, at now: Int64) {
        add(
            Metric("tintype_build_info", .gauge, "Always 1; the label is the version of the service."), by: "version",
            [(status.version, 1)])
        gauge("tintype_ready", "Whether uploads are accepted.", status.intake.status == .ready ? 1 : 0)
        let ends = [
            ("published", status.published), ("duplicate", status.duplicates), ("failed", status.failed),
        ]
        let uploads = Metric("tintype_uploads_total", .counter, "Uploads that have ended since the start.")
        add(uploads, by: "end", ends)
        add(
            Metric("tintype_uploads", .gauge, "Uploads that have not ended."), by: "state",
            status.uploads.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        gauge("tintype_queue_length", "Uploads that wait for a worker.", status.queue)
        gauge(
            "tintype_queue_age_seconds", "The time since the reservation of the oldest upload that waits for a worker.",
            status.queueSince.map { Int(max(0, now - $0) / 1000) } ?? 0)
        counter("tintype_tree_updates_total", "Updates of the tree since the start.", status.tree.updates)
        counter("tintype_tree_transactions_total", "Transactions that they shared.", status.tree.transactions)
        gauge(
            "tintype_tree_log_bytes", "The log of the tree, which a start after a crash has to read.",
            status.tree.logBytes)
        gauge("tintype_jobs_waiting", "Follow-up tasks of commits that are waiting.", status.jobs?.waiting ?? 0)
        gauge(
            "tintype_jobs_failing", "Follow-up tasks that have failed, and will be tried again.",
            status.jobs?.failing ?? 0)
        gauge("tintype_sweeps_held", "Whether nothing is deleted for good.", status.sweeps.status == .held ? 1 : 0)
        if let space = status.freeSpace {
            gauge("tintype_disk_free_bytes", "Free bytes on the disk.", space.bytes)
            gauge("tintype_disk_reserve_bytes", "Bytes that must stay free.", space.reserve)
        }
        if let files = status.inbox?.files { gauge("tintype_inbox_files", "Photos that are not claimed yet.", files) }
        if let unclaimed = status.unclaimed {
            gauge("tintype_unclaimed_posts", "Posts whose files are unclaimed.", unclaimed)
        }
        if let audits = status.audits { add(audits) }
    }

    /// Adds the open connections, and those that became streams and sessions.
    mutating func add(connections room: ConnectionLimiter, _ open: OpenStreams, refused: Int) {
        let local = room.socketCount
        add(
            Metric("tintype_http_connections", .gauge, "Open connections, by listener."), by: "listener",
            [("tcp", max(0, room.count - local)), ("socket", local)])
        add(
            Metric("tintype_open_streams", .gauge, "Open event streams, and open sessions of the database."),
            by: "protocol", [("event-stream", open.count(.stream)), ("websocket", open.count(.session))])
        counter(
            "tintype_refused_connections_total", "Connections that were refused because their address had too many.",
            refused)
    }

    /// Adds the post runs whose records are kept: the running one and the last twenty.
    mutating func add(postRuns: [PostRun]) {
        let counts = Dictionary(postRuns.map { ($0.state, 1) }, uniquingKeysWith: +)
        add(
            Metric("tintype_post_runs", .gauge, "Known jobs over posts, by state."), by: "state",
            PostRunState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }

    /// Adds the last backup; a time is 0 if there was none, so that its age is large.
    ///
    /// - Parameter verifiedAt: The time of the last good verification, in milliseconds since the epoch.
    mutating func add(_ backup: BackupRecord?, verifiedAt: Int64?) {
        gauge(
            "tintype_backup_timestamp_seconds", "The time of the last backup that was completed, since the epoch.",
            Int((backup?.madeAt ?? 0) / 1000))
        gauge("tintype_backup_findings", "Damaged files that the last backup has found.", backup?.findings ?? 0)
        gauge(
            "tintype_backup_verified_timestamp_seconds",
            "The time of the last verification of the backups that found no damage, since the epoch.",
            Int((verifiedAt ?? 0) / 1000))
    }

    private mutating func add(_ audits: StatusDocument.Audits) {
        let last = [("check", audits.check), ("verify", audits.verify)].compactMap { name, result in
            result.map { (name, $0) }
        }
        add(
            Metric("tintype_audit_timestamp_seconds", .gauge, "The end of the last audit, since the epoch."),
            by: "action", last.map { ($0, Int($1.endedAt / 1000)) })
        add(
            Metric("tintype_audit_findings", .gauge, "Unrepaired findings of the last audit."),
            by: "action", last.map { ($0, $1.findings.values.reduce(0, +)) })
        counter(
            "tintype_audit_read_bytes_total", "Bytes that were read and compared since the start.", audits.read)
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Int) {
        add(Metric(name, .counter, help), value)
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int) { add(Metric(name, .gauge, help), value) }
}
