import API
import Hummingbird
import Imaging
package import Keeping
import Model
package import Requests
import Social
package import Store
package import Transport
package import Tree
package import Uploads

/// `/healthz`, `/readyz`, `/v1/version` and `/v1/status`: the state of the service.
package struct HealthRoutes: Sendable {
    let tree: TreeStore
    let disk: DiskMonitor
    let pipeline: PipelineReport
    let settings: SharedSettings
    let room: ConnectionLimiter

    package init(
        tree: TreeStore, disk: DiskMonitor, pipeline: PipelineReport, settings: SharedSettings, room: ConnectionLimiter
    ) {
        self.tree = tree
        self.disk = disk
        self.pipeline = pipeline
        self.settings = settings
        self.room = room
    }

    package func add(to routes: inout RouteTable) {
        let health = Endpoint(
            "checkHealth", in: .service, "Check whether the tree answers", answers: [.json(HealthDocument.self)],
            ignoresQuery: true, run: health)
        routes.add("/healthz", [.get: health])
        let readiness = Endpoint(
            "checkReadiness", in: .service, "Check whether uploads and connections are accepted",
            answers: [
                .json(ReadinessDocument.self),
                .json(ReadinessDocument.self, .serviceUnavailable).with(headers: "Retry-After"),
            ], ignoresQuery: true, run: readiness)
        routes.add("/readyz", [.get: readiness])
        let version = Endpoint(
            "getVersion", in: .service, "Get the version of the service", answers: [.json(VersionDocument.self)],
            run: version)
        routes.add("/v1/version", [.get: version])
        let status = Endpoint(
            "getStatus", in: .operations, "Get the status of the service", details: "For admins, and on this machine.",
            answers: [.json(StatusDocument.self)],
            errors: [.badToken, .adminOnly], run: status)
        routes.add("/v1/status", [.get: status])
    }

    /// Reads from a tree.
    ///
    /// - Throws: `TreeError` if the tree does not answer.
    package static func check(_ tree: TreeStore) async throws {
        _ = try await tree.keys(of: PostNodes.post(), limit: 1)
    }

    /// Answers 200 while the tree can be read.
    @Sendable private func health(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await Self.check(tree)
        return .json(HealthDocument())
    }

    /// Answers 200 while new uploads and new connections are accepted, otherwise 503 and the reason.
    @Sendable private func readiness(_ request: Request, _ context: HTTPContext) async throws -> Response {
        var readiness = intake
        if readiness.status == .ready, room.isFull {
            let failure = Failure(
                .tooManyConnections,
                "\(room.count) connections are open; new ones wait until one of them ends",
                hint: "Find out which clients hold them, or raise the limit of descriptors (ulimit -n, LimitNOFILE).")
            readiness = ReadinessDocument(.full, failure)
        }
        guard readiness.status != .ready else { return .json(readiness) }
        return .json(readiness, status: .serviceUnavailable, headers: [.retryAfter: Problem.retryAfter])
    }

    private var intake: ReadinessDocument {
        guard let pause = disk.gate.pause else { return ReadinessDocument(.ready) }
        return ReadinessDocument(.paused, Failure(pause), since: pause.since.milliseconds)
    }

    @Sendable private func version(_ request: Request, _ context: HTTPContext) async throws -> Response {
        .json(VersionDocument(version: ServiceVersion.current))
    }

    @Sendable private func status(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try context.requireAdminOrThisMachine(sending: request, for: "the status of the service")
        return .json(try await document())
    }

    /// Returns the status of the service.
    func document() async throws -> StatusDocument {
        let status = try await pipeline.status()
        let recipes = settings.value.recipes.map { ($0.name, $0.description) }
        var document = StatusDocument(
            version: ServiceVersion.current, intake: intake, sweeps: .init(hold: status.sweepHold),
            recipes: Dictionary(recipes) { $1 },
            tree: .init(
                updates: status.tree.updates, transactions: status.tree.transactions,
                largestGroup: status.tree.largestGroup, logBytes: tree.logBytes))
        for state in UploadState.allCases where !state.isTerminal {
            document.uploads[state.rawValue] = status.unfinished[state] ?? 0
        }
        (document.published, document.duplicates, document.failed) = (
            status.published, status.duplicates, status.failed
        )
        (document.queue, document.queueSince) = (status.waiting, status.oldestTimestamp?.milliseconds)
        document.inbox = status.inboxFiles.map { .init(files: $0) }
        document.batch = status.batch.map { PostRunDocument($0, waiting: disk.obstacle) }
        document.freeSpace = status.freeSpace.map { .init(bytes: $0.bytes, reserve: $0.reserve) }
        document.unclaimed = status.unclaimed
        document.expired = status.expired
        document.audits = .init(
            check: status.audits[.check], verify: status.audits[.verify], read: status.audits.readByteCount)
        document.jobs = status.jobs.map {
            .init(waiting: $0.waiting, failing: $0.failing, since: $0.since.milliseconds)
        }
        return document
    }
}
