import API
import Foundation
import HTTPTypes
import Keeping
import Model
import Server
import Service
import Store
import TreeModel
import Uploads

/// The jobs over posts: those of the running service or, when none runs, those of the Storage folder, on which this
/// process works meanwhile.
enum PostRunsClient {
    case service(APIClient)
    case local(Pipeline)

    func list() async throws -> [PostRunDocument] {
        switch self {
        case .service(let service): try await service.read(.get, "/v1/jobs", as: PostRunListDocument.self).jobs
        case .local(let pipeline):
            try await pipeline.postRuns.list().map { PostRunDocument($0, waiting: pipeline.disk.obstacle) }
        }
    }

    /// - Throws: `Failure` `not_found` when the job does not exist.
    func job(_ id: String) async throws -> PostRunDocument {
        guard let job = try await list().first(where: { $0.id == id }) else {
            throw Failure(.notFound, "there is no job \(id)", hint: "List them with tintype rethumb ls.")
        }
        return job
    }

    func plan(_ order: PostRunOrder) async throws -> BatchPlanDocument {
        switch self {
        case .service(let service): try await service.read(.post, "/v1/jobs/plan", json: order.document)
        case .local(let pipeline):
            switch order.kind {
            case .originals: try await OriginalPlan(pipeline.tools, try order.batch()).document()
            default: try await RethumbPlan(pipeline.tools, try order.batch()).document()
            }
        }
    }

    func begin(_ order: PostRunOrder) async throws -> PostRunDocument {
        switch self {
        case .service(let service): return try await service.read(.post, "/v1/jobs", json: order.document)
        case .local(let pipeline):
            var batch = try order.batch()
            if batch.kind == .originals { batch.rule = try batch.rule(orBy: pipeline.settings) }
            return PostRunDocument(try await pipeline.postRuns.begin(batch), waiting: pipeline.disk.obstacle)
        }
    }

    /// An action on a job.
    enum Verb: String {
        case pause, resume, cancel
        case `switch`, rollback
    }

    func `do`(_ verb: Verb, to id: String) async throws -> PostRunDocument {
        switch self {
        case .service(let service): return try await service.read(.post, "/v1/jobs/\(id)/\(verb.rawValue)")
        case .local(let pipeline):
            let (batches, id) = (pipeline.postRuns, try Self.id(id))
            let job =
                switch verb {
                case .pause: try await batches.set(id, to: .paused)
                case .resume: try await batches.set(id, to: .running)
                case .cancel: try await batches.set(id, to: .cancelled)
                case .switch: try await batches.begin(.switch, of: id)
                case .rollback: try await batches.begin(.rollback, of: id)
                }
            return PostRunDocument(job, waiting: pipeline.disk.obstacle)
        }
    }

    func remove(_ id: String) async throws {
        switch self {
        case .service(let service): _ = try await service.send(.delete, "/v1/jobs/\(id)")
        case .local(let pipeline): try await pipeline.postRuns.remove(try Self.id(id))
        }
    }

    /// Follows a job until it ends, and reports its progress.
    ///
    /// When no service does the work, this process does it meanwhile.
    func follow(_ id: String, _ report: @escaping @Sendable (PostRunDocument) -> Void) async throws {
        guard case .local(let pipeline) = self else { return try await wait(for: id, report) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await pipeline.postRuns.run(with: pipeline.tools, in: pipeline.postRunSlot) }
            try await wait(for: id, report)
            group.cancelAll()
        }
        try await pipeline.janitor.sweep()
    }

    private func wait(for id: String, _ report: @Sendable (PostRunDocument) -> Void) async throws {
        while true {
            let job = try await job(id)
            report(job)
            guard job.state == .running else { return }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private static func id(_ text: String) throws(Failure) -> PushID {
        guard let id = PushID(text) else {
            throw Failure(.notFound, "there is no job \(text)".printable, hint: "List them with tintype rethumb ls.")
        }
        return id
    }
}

/// A job over posts, in the form in which a person orders it.
struct PostRunOrder: Sendable {
    var kind = PostRunKind.rethumb
    /// The rule of a job over originals; nil for the rule of the settings.
    var rule: String?
    var user: String?
    var since: String?
    var until: String?
    var onlyMissing = false
    var onlyDamaged = false
    /// The posts of the job; nil for no restriction.
    var posts: [String]?
    var recipes: [String] = []
    var concurrency: Int?
    var limit: Int?
    var switchesLast = false

    /// Returns the order with the id of its user, who may be named by an address or a name.
    func named(by storage: StorageOptions) async throws -> PostRunOrder {
        var order = self
        order.user = try await storage.uid(ofAny: user)
        return order
    }

    /// The order as a document for the service.
    var document: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
        members["rule"] = rule.map { .string($0) }
        members["user"] = user.map { .string($0) }
        members["since"] = since.map { .string($0) }
        members["until"] = until.map { .string($0) }
        if onlyMissing { members["only_missing"] = .bool(true) }
        if onlyDamaged { members["only_damaged"] = .bool(true) }
        members["posts"] = posts.map { .list($0.map { .string($0) }) }
        if !recipes.isEmpty { members["recipes"] = .list(recipes.map { .string($0) }) }
        members["concurrency"] = concurrency.map { .integer($0) }
        members["limit"] = limit.map { .integer($0) }
        if switchesLast { members["switch"] = .string(PostRunSwitch.last.rawValue) }
        return .object(members)
    }

    /// Returns the order for this process.
    func batch() throws -> BatchOrder {
        var order = BatchOrder(kind)
        order.rule = try rule.map { text throws(Failure) in try OriginalRule.required(text) }
        order.selection = try PostSelection(
            user: user, since: since, until: until, onlyMissing: onlyMissing, onlyDamaged: onlyDamaged)
        order.posts = try posts?.map { text throws(Failure) in
            guard let id = PostID(text) else {
                throw Failure(
                    .badRequest, "\"\(text.prefix(80))\" is not a post's id".printable,
                    hint: "List some with tintype post.")
            }
            return id
        }
        if !recipes.isEmpty { order.recipes = try RecipeSet.read(recipes) }
        order.pace.concurrency = concurrency
        order.pace.postsPerSecond = limit
        if switchesLast { order.switches = .last }
        return order
    }
}
