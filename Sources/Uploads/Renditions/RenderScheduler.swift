package import CoreMetrics
package import Files
package import Imaging
import NIOPosix
import Synchronization
import Tree
package import TreeModel

/// The only way to the renderer: decides which photo is rendered next, by the rules of `RenderTurns`.
///
/// Batches have a lane of their own, with as many turns and a renderer of low processor priority. An upload therefore
/// finds a free turn however much a batch does, and a batch uses all idle capacity. If the renderer has no background
/// renderer, it does both. A photo that is being rendered is not interrupted.
package final class RenderScheduler: Sendable {
    /// The urgency of a photo.
    package enum Priority: Int, Sendable, CaseIterable, Comparable {
        /// A photo that is added to a draft: the user waits for it.
        case interactive
        /// A photo of an acknowledged upload.
        case queued
        /// Background work: re-thumbnailing, and rendering files without a service.
        case batch

        package static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
    }

    /// A photo that is being rendered.
    package struct Work: Sendable, Hashable {
        /// The upload; nil for a file that belongs to no upload.
        package let upload: String?
        package let user: String
        package let byteCount: Int
        package let priority: Priority
        /// The time at which its turn began.
        package let since: Timestamp
    }

    private struct Waiting: Identifiable {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var turns: RenderTurns<Waiting>
        var lastID: UInt64 = 0
        var works: [UInt64: Work] = [:]
        /// The number of turns that the background lane has given.
        var backgroundTurns = 0
        /// Whether a task is scheduled that frees the background renderer's resources; below, whether one that resumes
        /// batches is.
        var isRestPlanned = false
        var areBatchesPlanned = false
    }

    /// The idle time after which the background renderer frees its resources.
    private static let restDelay = Duration.seconds(5)

    /// The renderers of the lanes, with their threads.
    private let renderers: [(renderer: any PhotoRenderer, threads: NIOThreadPool)]
    private let state: Mutex<State>
    private let metrics: RenderMetrics
    /// The number of photos that are rendered at once. The lane of batches, if it exists, has the same number in
    /// addition.
    package let workers: Int

    /// Creates a scheduler with a number of workers.
    ///
    /// - Parameter metrics: The registry in which the metrics of rendering are created.
    package init(
        _ renderer: any PhotoRenderer, workers: Int, metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        self.metrics = RenderMetrics(metrics)
        let count = max(1, workers)
        self.workers = count
        var renderers: [(renderer: any PhotoRenderer, threads: NIOThreadPool)] = []
        func add(_ renderer: any PhotoRenderer) {
            let threads = NIOThreadPool(numberOfThreads: count)
            threads.start()
            renderers.append((renderer, threads))
        }
        add(renderer)
        if let background = renderer.makeBackground() { add(background) }
        self.renderers = renderers
        state = Mutex(State(turns: RenderTurns(workers: count, hasBackground: renderers.count > 1)))
    }

    deinit {
        for (_, threads) in renderers { threads.shutdownGracefully { _ in } }
    }

    /// Whether batches have a lane of their own.
    package var hasBackground: Bool { renderers.count > 1 }

    /// The number of photos that wait for their turn.
    var waitingCount: Int { state.withLock { $0.turns.waitingCount } }

    /// The photos that are being rendered, the oldest first.
    package var works: [Work] { state.withLock { Array($0.works.values) }.sorted { $0.since < $1.since } }

    /// Makes batches give way to an upload whose bytes begin to arrive.
    func expectUpload() { state.withLock { $0.turns.expectUpload(at: .now) } }

    /// Renders a photo when its turn has come.
    ///
    /// - Parameters:
    ///   - others: Recipes of the same set whose renditions exist (`Renderer`).
    ///   - open: Opens the original once its turn has come, so that waiting photos hold no descriptor.
    ///   - user: The user whose turn is used.
    ///   - upload: The upload that the photo belongs to, and its size in bytes, for reports.
    /// - Throws: `ImageError` or `IsolationError`: a permanent failure or a transient one; `FileError` if the original
    ///   cannot be read; `CancellationError` if the task is cancelled while it waits; errors of `open`.
    package func render(
        recipes: [Recipe], beside others: [Recipe] = [], limits: ImageLimits, priority: Priority, for user: String,
        of upload: (id: String, byteCount: Int)? = nil, _ open: () async throws -> FileReader
    ) async throws -> RenderedImage {
        let start = ContinuousClock.now
        let id = try await waitForTurn(priority, user)
        metrics.endWait(priority, since: start)
        let isInBackground = hasBackground && priority == .batch
        state.withLock { state in
            if isInBackground { state.backgroundTurns += 1 }
            state.works[id] = Work(
                upload: upload?.id, user: user, byteCount: upload?.byteCount ?? 0, priority: priority,
                since: WallClock.now())
        }
        defer { endTurn(of: id, priority) }
        let original = try await open()
        let (renderer, threads) = renderers[isInBackground ? 1 : 0]
        return try await threads.runIfActive { [metrics] in
            try metrics.render(original, by: renderer) {
                try renderer.render(original, recipes: recipes, beside: others, limits: limits)
            }
        }
    }

    /// - Returns: The id of the work.
    private func waitForTurn(_ priority: Priority, _ user: String) async throws -> UInt64 {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.turns.take(priority, at: .now) { return true }
                    let waiting = Waiting(id: id, continuation: continuation)
                    state.turns.wait(waiting, priority, of: user)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) } else { planBatches() }
            }
        } onCancel: {
            let waiting = state.withLock { $0.turns.remove(id, priority, of: user) }
            waiting?.continuation.resume(returning: false)
            if priority == .batch { planRest() }
        }
        guard hasTurn else { throw CancellationError() }
        return id
    }

    private func endTurn(of id: UInt64, _ priority: Priority) {
        let next = state.withLock { state in
            state.works[id] = nil
            return state.turns.end(priority, at: .now)
        }
        for waiting in next { waiting.continuation.resume(returning: true) }
        planBatches()
        if priority == .batch { planRest() }
    }

    /// Schedules the turns of batches that give way, for the time after the last upload.
    private func planBatches() {
        let isNew = state.withLock { state in
            guard state.turns.isHoldingBack, !state.areBatchesPlanned else { return false }
            state.areBatchesPlanned = true
            return true
        }
        guard isNew else { return }
        Task { [weak self] in
            repeat { try? await Task.sleep(for: RenderTurns<Waiting>.quietTime) } while self?.resumeBatches() == true
        }
    }

    /// - Returns: Whether batches still wait.
    private func resumeBatches() -> Bool {
        let (next, isHoldingBack) = state.withLock { state in
            let next = state.turns.popBatches(at: .now)
            state.areBatchesPlanned = state.turns.isHoldingBack
            return (next, state.areBatchesPlanned)
        }
        for waiting in next { waiting.continuation.resume(returning: true) }
        return isHoldingBack
    }

    /// Schedules the freeing of the background renderer's resources, once it has been idle for ``restDelay``.
    private func planRest() {
        let turns: Int? = state.withLock { state in
            guard state.turns.isBackgroundIdle, !state.isRestPlanned else { return nil }
            state.isRestPlanned = true
            return state.backgroundTurns
        }
        guard let turns else { return }
        Task { [weak self] in
            try? await Task.sleep(for: Self.restDelay)
            try await self?.restUnlessUsed(since: turns)
        }
    }

    private func restUnlessUsed(since turns: Int) async throws {
        let (isIdle, isUsed) = state.withLock { state in
            state.isRestPlanned = false
            return (state.turns.isBackgroundIdle, state.backgroundTurns != turns)
        }
        guard isIdle else { return }  // The end of the current work schedules it again.
        guard !isUsed else { return planRest() }
        let (renderer, threads) = renderers[1]
        try await threads.runIfActive { renderer.rest() }
    }
}
