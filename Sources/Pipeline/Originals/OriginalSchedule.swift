import API
import Logging
import Posts
import ServiceLifecycle
import Tree

/// Begins the job that does with originals what the setting says, once a day.
struct OriginalSchedule: Sendable {
    /// A service that has just been started has other things to do first.
    private static let patience = Duration.seconds(600)
    private static let day: Int64 = 86_400_000

    let service: UploadService
    let logger: Logger

    /// Begins jobs until a graceful shutdown.
    func run() async {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.patience)
            while !Task.isCancelled {
                do {
                    try await beginWhatIsDue()
                } catch let error as Failure where error.code == .jobRunning {
                    // It begins when that has ended.
                } catch {
                    if service.disk.gate.pause == nil {
                        logger.warning("cannot begin the job over originals", metadata: ["fault": "\(error)"])
                    }
                }
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Begins the job, if the setting wants one, and the last began a day ago.
    func beginWhatIsDue() async throws {
        guard service.settings.originals != nil, service.janitor.hold == nil, service.tree.health.damage == nil,
            service.disk.gate.pause == nil, !service.jobSlot.isInUse
        else { return }
        let now = service.store.now
        let last = try await service.tree.get(Paths.originalsSchedule)
        guard last?["at"]?.integerValue ?? 0 <= now - Self.day else { return }
        var order = BatchOrder(.originals)
        order.rule = service.settings.originals
        let job = try await service.batches.begin(order)
        try await service.tree.set(
            Paths.originalsSchedule, to: ["at": .integer(now), "job": .string(job.id.string)])
        // The list of jobs is for those that somebody has begun.
        if let old = last?["job"]?.stringValue.flatMap({ PushID($0) }) {
            try? await service.batches.remove(old)
        }
    }
}

extension Paths {
    /// When the job over originals began by itself the last time, and which it was.
    static let originalsSchedule = store / "originals"
}
