import API
import HTTPTypes
import Hummingbird
import NIOCore
import Uploads

/// `/v1/metrics`: the numbers of `/v1/status` in the text format of Prometheus, for whoever watches the service (OpenMetrics'
/// predecessor, "Exposition formats", version 0.0.4).
struct MetricsRoutes: Sendable {
    private let health: HealthRoutes

    init(_ health: HealthRoutes) { self.health = health }

    func add(to routes: inout RouteTable) {
        let metrics = Operation(
            "The numbers of /v1/status for Prometheus; for admins, and on this machine.",
            answers: [.content("text/plain", .text)], errors: [.badToken, .adminOnly], run: metrics)
        routes.add("/v1/metrics", [.get: metrics])
    }

    @Sendable private func metrics(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdminOrThisMachine(sending: request, for: "what the service is doing")
        let text = MetricsText(try await health.document()).text
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// A service's status as lines of metrics.
struct MetricsText {
    private(set) var text = ""

    init(_ status: StatusDocument) {
        add("ready", .gauge, "Whether uploads are taken.", status.intake.status == .ready ? 1 : 0)
        let ends = [
            ("published", status.published), ("duplicate", status.duplicates), ("failed", status.failed),
        ]
        add("uploads_total", .counter, "Uploads that have ended since the start.", by: "end", ends)
        add(
            "uploads", .gauge, "Uploads that have not ended.", by: "state",
            status.uploads.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        add("queue_length", .gauge, "Uploads that wait for a worker.", status.queue)
        add("tree_updates_total", .counter, "Updates of the tree since the start.", status.tree.updates)
        add("tree_transactions_total", .counter, "Transactions that they shared.", status.tree.transactions)
        add(
            "tree_log_bytes", .gauge, "The log of the tree, which a start after a crash has to read.",
            status.tree.logBytes)
        add("jobs_waiting", .gauge, "Jobs behind commits that are left to do.", status.jobs?.waiting ?? 0)
        add("sweeps_held", .gauge, "Whether nothing is deleted for good.", status.sweeps.status == .held ? 1 : 0)
        if let space = status.freeSpace {
            add("disk_free_bytes", .gauge, "Free bytes on the disk.", space.bytes)
            add("disk_reserve_bytes", .gauge, "Bytes that have to stay free.", space.reserve)
        }
        if let files = status.inbox?.files { add("inbox_files", .gauge, "Photos that are not taken yet.", files) }
        if let unclaimed = status.unclaimed {
            add("unclaimed_posts", .gauge, "Posts whose files nobody claims.", unclaimed)
        }
        if let audits = status.audits { add(audits) }
    }

    private mutating func add(_ audits: StatusDocument.Audits) {
        let last = [("check", audits.check), ("verify", audits.verify)].compactMap { name, result in
            result.map { (name, $0) }
        }
        add(
            "audit_timestamp_seconds", .gauge, "When the last audit ended, since the epoch.", by: "action",
            last.map { ($0, Int($1.endedAt / 1000)) })
        add(
            "audit_findings", .gauge, "What the last audit found, and was not mended.", by: "action",
            last.map { ($0, $1.findings.values.reduce(0, +)) })
        add("audit_read_bytes_total", .counter, "Bytes that were read and compared since the start.", audits.read)
    }

    private enum Kind: String {
        case counter, gauge
    }

    private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        text += "tintype_\(name) \(value)\n"
    }

    private mutating func add(
        _ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int)]
    ) {
        begin(name, kind, help)
        for (key, value) in values { text += "tintype_\(name){\(label)=\"\(key)\"} \(value)\n" }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP tintype_\(name) \(help)\n# TYPE tintype_\(name) \(kind.rawValue)\n"
    }
}
