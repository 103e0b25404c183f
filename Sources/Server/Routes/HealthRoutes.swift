import API
import Hummingbird
import Imaging
import Pipeline
import Posts
import Tree

/// `/healthz`, `/readyz`, `/v1/version` and `/v1/status`: how the service is.
struct HealthRoutes: Sendable {
    private let service: UploadService
    private let room: ConnectionLimiter

    init(_ service: UploadService, _ room: ConnectionLimiter) {
        self.service = service
        self.room = room
    }

    func add(to router: Router<RequestContext>) {
        router.resource("healthz", [.get: health])
        router.resource("readyz", [.get: readiness])
        router.resource("v1/version", [.get: version])
        router.resource("v1/status", [.get: status])
    }

    /// 200 while the tree answers.
    @Sendable private func health(_ request: Request, _ context: RequestContext) async throws -> Response {
        _ = try await service.tree.keys(of: Paths.posts, limit: 1)
        return .json(["status": "ok"])
    }

    /// 200 while new uploads are taken and new connections too, else 503 and why they are not.
    @Sendable private func readiness(_ request: Request, _ context: RequestContext) async throws -> Response {
        let document: TreeValue
        if let pause = service.disk.gate.pause {
            document = pause.document
        } else if room.isFull {
            document = [
                "status": "full", "code": "too_many_connections",
                "message": .string("\(room.count) connections are open: who comes has to wait until one of them ends"),
                "hint": "find out who holds them; more need a higher limit of descriptors (ulimit -n, LimitNOFILE)",
            ]
        } else {
            return .json(["status": "ready"])
        }
        return .json(document, status: .serviceUnavailable, headers: [.retryAfter: Problem.retryAfter])
    }

    @Sendable private func version(_ request: Request, _ context: RequestContext) async throws -> Response {
        .json(["name": "tintype", "version": .string(ServiceVersion.current)])
    }

    @Sendable private func status(_ request: Request, _ context: RequestContext) async throws -> Response {
        let status = try await service.status()
        var unfinished: [TreeKey: TreeValue] = [:]
        for state in UploadState.allCases where !state.isTerminal {
            unfinished[try TreeKey(state.rawValue)] = .integer(Int64(status.unfinished[state] ?? 0))
        }
        var recipes: [TreeKey: TreeValue] = [:]
        for recipe in service.settings.recipes {
            recipes[try TreeKey(recipe.name)] = .string(recipe.description)
        }
        var document: [TreeKey: TreeValue] = [
            "version": .string(ServiceVersion.current),
            "queue": .integer(Int64(status.waiting)),
            "uploads": .object(unfinished),
            "published": .integer(Int64(status.published)),
            "duplicates": .integer(Int64(status.duplicates)),
            "failed": .integer(Int64(status.failed)),
            "tree": [
                "updates": .integer(Int64(status.tree.updates)),
                "transactions": .integer(Int64(status.tree.transactions)),
                "largest_group": .integer(Int64(status.tree.largestGroup)),
            ],
            "recipes": .object(recipes),
            "intake": service.disk.gate.pause?.document ?? ["status": "ready"],
            "sweeps": status.sweepHold?.document ?? ["status": "on"],
        ]
        if let count = status.unclaimed { document["unclaimed"] = .integer(Int64(count)) }
        if let space = status.freeSpace {
            document["free_space"] = ["bytes": .integer(Int64(space.bytes)), "reserve": .integer(Int64(space.reserve))]
        }
        if let files = status.inboxFiles { document["inbox"] = ["files": .integer(Int64(files))] }
        if let job = status.rethumb {
            document["rethumb"] = [
                "total": .integer(Int64(job.total)), "done": .integer(Int64(job.done)),
                "switched": .integer(Int64(job.switched)), "failed": .integer(Int64(job.failed)),
            ]
        }
        if let since = status.oldestTimestampMilliseconds { document["queue_since"] = .integer(since) }
        return .json(.object(document))
    }
}

extension IntakePause {
    fileprivate var document: TreeValue {
        [
            "status": "paused", "code": .string(code.rawValue), "message": .string(message), "hint": .string(hint),
            "since": .integer(since),
        ]
    }
}

extension SweepHold {
    fileprivate var document: TreeValue {
        ["status": "held", "code": .string(code), "message": .string(message), "hint": .string(hint)]
    }
}

/// Which version of the service this is.
package enum ServiceVersion {
    package static let current = "0.1.0"
}
