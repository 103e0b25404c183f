import API
package import Logging
import Model
import ServiceLifecycle
package import Store
import Tree
import Uploads

/// Starts the job that applies the setting `originals`, once a day.
package struct OriginalSchedule: Sendable {
    /// The wait after a start of the service, which has more urgent work first.
    private static let patience = Duration.seconds(600)
    private static let day = Duration.seconds(86_400)

    let tools: PostTools
    let storage: StorageFolder
    let postRuns: PostRuns
    let slot: PostRunSlot
    let logger: Logger

    package init(tools: PostTools, storage: StorageFolder, postRuns: PostRuns, slot: PostRunSlot, logger: Logger) {
        self.tools = tools
        self.storage = storage
        self.postRuns = postRuns
        self.slot = slot
        self.logger = logger
    }

    /// Starts jobs until a graceful shutdown.
    package func run() async {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.patience)
            while !Task.isCancelled {
                do {
                    try await beginWhatIsDue()
                } catch let error as Failure where error.code == .jobRunning {
                    // Another job runs; this one starts when that has ended.
                } catch {
                    if tools.disk.gate.pause == nil {
                        logger.warning("cannot start the job over originals", metadata: ["fault": "\(error)"])
                    }
                }
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Starts the job if the setting requires one and the last one started at least a day ago.
    func beginWhatIsDue() async throws {
        guard tools.settings.originals != nil, storage.hold == nil, tools.tree.health.damage == nil,
            tools.disk.gate.pause == nil, !slot.isInUse
        else { return }
        let now = tools.now
        let last = try await tools.tree.get(StoreNodes.originals())
        guard last?["at"]?.timestampValue ?? .epoch <= now - Self.day else { return }
        var order = BatchOrder(.originals)
        order.rule = tools.settings.originals
        let job = try await postRuns.begin(order)
        try await tools.tree.set(
            StoreNodes.originals(), to: ["at": now.value, "job": .string(job.id.string)])
        // The list of jobs is for those that users have started.
        if let old = last?["job"]?.stringValue.flatMap({ PushID($0) }) {
            try? await postRuns.remove(old)
        }
    }
}
