import API
import Hummingbird
import Pipeline
import Posts
import TreeModel

/// `/v1/jobs`: jobs over posts that outlive whoever began them.
struct BatchRoutes: Sendable {
    private static let maxBytes = 4096
    private static let members = ["kind", "user", "since", "only_missing", "switch"]
    private static let example = #"{"kind": "rethumb", "user": "maria", "only_missing": true}"#

    private let service: UploadService

    init(_ service: UploadService) { self.service = service }

    func add(to routes: inout RouteTable) {
        let order = Schema.object(
            [
                "kind": .one(of: BatchJobKind.self), "user": .any(.userID, .null),
                "since": .any(.moment, .null), "only_missing": .any(.flag, .null),
                "switch": .any(.one(of: BatchJobSwitch.self), .null),
            ], required: ["kind"])
        let errors: [ErrorCode] = [.badToken, .adminOnly, .badUser, .badTime, .jobRunning, .unsupportedType]
        let list = Operation(
            "The jobs over posts, the newest first; for admins.", answers: [.json(BatchJobListDocument.self)],
            errors: [.badToken, .adminOnly], run: list)
        let begin = Operation(
            "Begins a job over posts, which goes on by itself; for admins.", body: ["application/json": order],
            answers: [.json(BatchJobDocument.self, .created)], errors: errors, run: begin)
        routes.add("/v1/jobs", [.get: list, .post: begin])
        let plan = Operation(
            "Counts what a job over posts would do; for admins.", body: ["application/json": order],
            answers: [.json(BatchPlanDocument.self)], errors: errors, run: plan)
        routes.add("/v1/jobs/plan", [.post: plan])
        let verbs: [(String, BatchJobState, String)] = [
            ("pause", .paused, "Has a job over posts wait; for admins."),
            ("resume", .running, "Has a job over posts go on; for admins."),
            ("cancel", .cancelled, "Ends a job over posts; what it has done stays; for admins."),
        ]
        for (verb, state, summary) in verbs {
            let change = Operation(
                summary, [.path("id", .postID)], answers: [.json(BatchJobDocument.self)],
                errors: [.badToken, .adminOnly, .notFound, .wrongState, .jobRunning]
            ) { request, context in try await set(state, request, context) }
            routes.add("/v1/jobs/{id}/\(verb)", [.post: change])
        }
        let phases: [(String, BatchJobPhase, String)] = [
            ("switch", .switch, "Has posts show what a job has rendered; for admins."),
            ("rollback", .rollback, "Has posts show again what they showed before a job; for admins."),
        ]
        for (verb, phase, summary) in phases {
            let change = Operation(
                summary, [.path("id", .postID)], answers: [.json(BatchJobDocument.self)],
                errors: [.badToken, .adminOnly, .notFound, .wrongState, .jobRunning]
            ) { _, context in
                try context.requireAdmin(for: "changing a job")
                return .json(BatchJobDocument(try await service.batches.begin(phase, of: try Self.id(context))))
            }
            routes.add("/v1/jobs/{id}/\(verb)", [.post: change])
        }
    }

    @Sendable private func list(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "the list of jobs")
        let jobs = try await service.batches.list()
        return .json(BatchJobListDocument(jobs: jobs.map(BatchJobDocument.init)))
    }

    @Sendable private func begin(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "beginning a job")
        let (kind, selection, switches) = try await order(request, context)
        guard !service.jobSlot.isInUse else {
            throw Failure(.jobRunning, "a job of the command line is running", hint: "wait for its end, or stop it")
        }
        let job = try await service.batches.begin(kind, selection, switches: switches)
        return .json(BatchJobDocument(job), status: .created)
    }

    @Sendable private func plan(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireAdmin(for: "planning a job")
        let (kind, selection, _) = try await order(request, context)
        let progress = try await count(kind, selection)
        var document = BatchPlanDocument(
            kind: kind, total: progress.total, posts: progress.switched, failed: progress.failed)
        document.lastFailure = progress.lastFailure
        let last = try await service.batches.list().first {
            $0.kind == kind && $0.progress.switched > 0 && $0.activeMilliseconds > 0
        }
        if let last {
            let each = Double(last.activeMilliseconds) / 1000 / Double(last.progress.switched)
            document.seconds = Int(exactly: (each * Double(progress.switched)).rounded(.up))
        }
        return .json(document)
    }

    @concurrent private func count(
        _ kind: BatchJobKind, _ selection: Rethumb.Selection
    ) async throws -> PostJobProgress {
        switch kind {
        case .rethumb: try await Rethumb(service, selection: selection, isDryRun: true).run { _ in }
        case .scrub: try await OriginalScrub(service, user: selection.user, isCheck: true).run { _ in }
        }
    }

    private func set(
        _ state: BatchJobState, _ request: Request, _ context: RequestContext
    ) async throws -> Response {
        try context.requireAdmin(for: "changing a job")
        return .json(BatchJobDocument(try await service.batches.set(try Self.id(context), to: state)))
    }

    private static func id(_ context: RequestContext) throws(Failure) -> PushID {
        guard let id = PushID(context.parameters.get("id") ?? "") else {
            throw Failure(.notFound, "there is no such job", hint: "GET /v1/jobs lists them")
        }
        return id
    }

    /// What a body asks for.
    private func order(
        _ request: Request, _ context: RequestContext
    ) async throws -> (BatchJobKind, Rethumb.Selection, BatchJobSwitch) {
        let members = try await context.jsonMembers(
            Self.members, of: request, upTo: Self.maxBytes, example: Self.example)
        guard case .string(let name)? = members["kind"], let kind = BatchJobKind(rawValue: name) else {
            let kinds = BatchJobKind.allCases.map(\.rawValue).joined(separator: " or ")
            throw Failure(.badRequest, "kind is not \(kinds)", hint: "send \(Self.example)")
        }
        let since: String? =
            switch members["since"] {
            case nil: nil
            case .string(let text)?: text
            case .integer(let number)?: "\(number)"
            default: throw Failure(.badTime, "since is no moment", hint: "for instance 2026-05-01, or milliseconds")
            }
        let onlyMissing = members["only_missing"] ?? .bool(false)
        guard case .bool(let isOnlyMissing) = onlyMissing else {
            throw Failure(.badRequest, "only_missing is neither true nor false")
        }
        let switches: BatchJobSwitch? =
            switch members["switch"] {
            case nil: nil
            case .string(let text)? where BatchJobSwitch(rawValue: text) != nil: BatchJobSwitch(rawValue: text)
            default: throw Failure(.badRequest, "switch is neither each nor last")
            }
        guard kind == .rethumb || since == nil && !isOnlyMissing && switches == nil else {
            throw Failure(.badRequest, "since, only_missing and switch are for rethumb alone", hint: "leave them out")
        }
        let user: String? =
            switch members["user"] {
            case nil: nil
            case .string(let text)?: text
            default: throw Failure(.badUser, "user is no text", hint: "use letters, digits, - and _")
            }
        let selection = try Rethumb.Selection(user: user, since: since, onlyMissing: isOnlyMissing)
        return (kind, selection, switches ?? .each)
    }
}
