import API
import Hummingbird
package import Keeping
import Model
package import Requests
package import Store
import Transport
import TreeModel
package import Uploads

/// `/v1/jobs`: post runs, which outlive the clients that began them.
package struct PostRunRoutes: Sendable {
    let postRuns: PostRuns
    let tools: PostTools
    let disk: DiskMonitor
    let settings: SharedSettings
    /// The slot that limits post runs to one at a time.
    let slot: PostRunSlot

    package init(postRuns: PostRuns, tools: PostTools, disk: DiskMonitor, settings: SharedSettings, slot: PostRunSlot) {
        self.postRuns = postRuns
        self.tools = tools
        self.disk = disk
        self.settings = settings
        self.slot = slot
    }

    package func add(to routes: inout RouteTable) {
        let order = BatchOrder.schema
        let errors: [ErrorCode] = [.badUser, .badTime, .jobRunning, .unsupportedType]
        let list = Endpoint.admin(
            for: "the list of jobs",
            "listJobs", in: .operations, "List the jobs over posts, the newest first",
            answers: [.json(PostRunListDocument.self)], run: list)
        let begin = Endpoint.admin(
            for: "beginning a job",
            "createJob", in: .operations, "Begin a job over posts, which runs without its client",
            body: ["application/json": order],
            answers: [.json(PostRunDocument.self, .created)], errors: errors, run: begin)
        routes.add("/v1/jobs", [.get: list, .post: begin])
        let plan = Endpoint.admin(
            for: "planning a job",
            "planJob", in: .operations, "Count what a job over posts would do", body: ["application/json": order],
            answers: [.json(BatchPlanDocument.self)], errors: errors, run: plan)
        routes.add("/v1/jobs/plan", [.post: plan])
        let one = Endpoint.admin(
            for: "looking at a job",
            "getJob", in: .operations, "Get a job over posts", [.path("id", .postID)],
            answers: [.json(PostRunDocument.self)],
            errors: [.notFound], run: show)
        let remove = Endpoint.admin(
            for: "forgetting a job",
            "deleteJob", in: .operations, "Forget a job that has ended", [.path("id", .postID)],
            answers: [.empty(.noContent)],
            errors: [.notFound, .wrongState], run: remove)
        routes.add("/v1/jobs/{id}", [.get: one, .delete: remove])
        let verbs: [(String, PostRunState, String)] = [
            ("pause", .paused, "Pause a job over posts"),
            ("resume", .running, "Resume a job over posts"),
            ("cancel", .cancelled, "End a job over posts; what it has done stays"),
        ]
        for (verb, state, summary) in verbs {
            let change = Endpoint.admin(
                for: "changing a job",
                "\(verb)Job", in: .operations, summary, [.path("id", .postID)], answers: [.json(PostRunDocument.self)],
                errors: [.notFound, .wrongState, .jobRunning]
            ) { request, context in try await set(state, request, context) }
            routes.add("/v1/jobs/{id}/\(verb)", [.post: change])
        }
        let phases: [(String, PostRunPhase, String)] = [
            ("switch", .switch, "Make posts show the renditions of a job"),
            ("rollback", .rollback, "Make posts show the renditions from before a job"),
        ]
        for (verb, phase, summary) in phases {
            let change = Endpoint.admin(
                for: "changing a job",
                "\(verb)Job", in: .operations, summary, [.path("id", .postID)], answers: [.json(PostRunDocument.self)],
                errors: [.notFound, .wrongState, .jobRunning]
            ) { _, context in
                return .json(document(try await postRuns.begin(phase, of: try Self.id(context))))
            }
            routes.add("/v1/jobs/{id}/\(verb)", [.post: change])
        }
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let jobs = try await postRuns.list()
        return .json(PostRunListDocument(jobs: jobs.map(document)))
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try Self.id(context)
        guard let job = try await postRuns.list().first(where: { $0.id == id }) else { throw Self.noJob }
        return .json(document(job))
    }

    @Sendable private func begin(_ request: Request, _ context: HTTPContext) async throws -> Response {
        var order = try await BatchOrder(request, context)
        if order.kind == .originals { order.rule = try order.rule(orBy: settings.value) }
        guard !slot.isInUse else {
            throw Failure(.jobRunning, "a job of the command line is running", hint: "Wait for its end, or stop it.")
        }
        return .json(document(try await postRuns.begin(order)), status: .created)
    }

    @Sendable private func plan(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let order = try await BatchOrder(request, context)
        return .json(try await plan(order))
    }

    @concurrent private func plan(_ order: BatchOrder) async throws -> BatchPlanDocument {
        switch order.kind {
        case .rethumb: return try await RethumbPlan(tools, order).document()
        case .originals: return try await OriginalPlan(tools, order).document()
        case .scrub: break
        }
        let progress = try await OriginalScrub(tools, user: order.selection.user, isCheck: true).run { _ in }
        var document = BatchPlanDocument(
            kind: .scrub, total: progress.total, posts: progress.switched, failed: progress.failed)
        document.lastFailure = progress.lastFailure
        return document
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await postRuns.remove(try Self.id(context))
        return Response(status: .noContent)
    }

    private func set(
        _ state: PostRunState, _ request: Request, _ context: HTTPContext
    ) async throws -> Response {
        return .json(document(try await postRuns.set(try Self.id(context), to: state)))
    }

    private func document(_ job: PostRun) -> PostRunDocument { PostRunDocument(job, waiting: disk.obstacle) }

    private static func id(_ context: HTTPContext) throws(Failure) -> PushID {
        guard let id = PushID(context.parameters.get("id") ?? "") else { throw noJob }
        return id
    }

    private static let noJob = Failure(.notFound, "the job does not exist", hint: "List them with GET /v1/jobs.")
}
