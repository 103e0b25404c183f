import API
import HTTPTypes
import Hummingbird
package import Metering
import NIOCore
package import Requests
import Uploads

/// `/v1/metrics`: the service's counters and timers, and the numbers of `/v1/status`, in the text format of Prometheus.
package struct MetricsRoutes: Sendable {
    private let health: HealthRoutes
    private let registry: MetricsRegistry

    package init(_ health: HealthRoutes, _ registry: MetricsRegistry) {
        (self.health, self.registry) = (health, registry)
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
        text.add(try await health.document())
        registry.write(to: &text)
        return Response(
            status: .ok, headers: [.contentType: Exposition.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.text)))
    }
}

/// A service's status as metrics, computed when they are read.
extension Exposition {
    mutating func add(_ status: StatusDocument) {
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
        counter("tintype_tree_updates_total", "Updates of the tree since the start.", status.tree.updates)
        counter("tintype_tree_transactions_total", "Transactions that they shared.", status.tree.transactions)
        gauge(
            "tintype_tree_log_bytes", "The log of the tree, which a start after a crash has to read.",
            status.tree.logBytes)
        gauge("tintype_jobs_waiting", "Follow-up tasks of commits that are waiting.", status.jobs?.waiting ?? 0)
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
