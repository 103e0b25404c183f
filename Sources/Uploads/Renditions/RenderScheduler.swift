package import CoreMetrics
package import Files
package import Imaging
import NIOPosix
import Synchronization
import Tree
package import TreeModel

/// The one road to the renderer: it decides whose photo is rendered next, by the rules of `RenderTurns`.
///
/// Batches have a lane of their own beside the others, with as many turns and a renderer that takes the processor from nobody, so
/// that an upload finds a free turn however much a batch does, and a batch uses all that nobody else wants. A renderer that
/// has no such other one beside it does both. What is being rendered is not interrupted.
package final class RenderScheduler: Sendable {
    /// The urgency of a photo.
    package enum Priority: Int, Sendable, CaseIterable, Comparable {
        /// Somebody waits and looks: a photo that is added to a draft.
        case interactive
        /// An upload that was acknowledged.
        case queued
        /// Work that nobody waits for: re-thumbnailing, and rendering files without a service.
        case batch

        package static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
    }

    /// A photo that is being rendered.
    package struct Work: Sendable, Hashable {
        /// The upload; nil for a file of no upload.
        package let upload: String?
        package let user: String
        package let byteCount: Int
        package let priority: Priority
        /// When its turn came.
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
        /// How many turns the background lane has given.
        var backgroundTurns = 0
        /// Whether somebody waits for the time to have the background renderer rest, or for that of the batches that wait.
        var isRestPlanned = false
        var areBatchesPlanned = false
    }

    /// How long the background renderer keeps what it has for a next photo.
    private static let restDelay = Duration.seconds(5)

    /// The renderers of the lanes, each with its threads.
    private let renderers: [(renderer: any PhotoRenderer, threads: NIOThreadPool)]
    private let state: Mutex<State>
    private let metrics: RenderMetrics
    /// How many photos are rendered at a time; and as many of batches beside them, where these have a lane of their own.
    package let workers: Int

    /// Prepares to render with so many threads.
    ///
    /// - Parameter metrics: Makes the metrics of rendering.
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

    /// How many photos wait for their turn.
    var waitingCount: Int { state.withLock { $0.turns.waitingCount } }

    /// What is being rendered, the longest first.
    package var works: [Work] { state.withLock { Array($0.works.values) }.sorted { $0.since < $1.since } }

    /// Has batches give way to an upload that begins to come in.
    func expectUpload() { state.withLock { $0.turns.expectUpload(at: .now) } }

    /// Renders a photo when its turn has come.
    ///
    /// - Parameters:
    ///   - others: Recipes of the same set whose renditions are there already (`Renderer`).
    ///   - open: Opens the photo as it was sent, once its turn has come: those that wait hold no descriptor.
    ///   - user: Whose turn it takes.
    ///   - upload: The upload that it belongs to, and its size in bytes, for whoever looks on.
    /// - Throws: `ImageError` or `IsolationError`: a permanent failure or a transient one; `FileError` when the original cannot
    ///   be read; `CancellationError` when the task is cancelled while it waits; what `open` throws.
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

    /// - Returns: By what the work is known from now on.
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

    /// Has the batches that give way to uploads go on once no more of these come.
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

    /// - Returns: Whether some still wait.
    private func resumeBatches() -> Bool {
        let (next, isHoldingBack) = state.withLock { state in
            let next = state.turns.popBatches(at: .now)
            state.areBatchesPlanned = state.turns.isHoldingBack
            return (next, state.areBatchesPlanned)
        }
        for waiting in next { waiting.continuation.resume(returning: true) }
        return isHoldingBack
    }

    /// Has the background renderer give back what it keeps, once it has had nothing to do for a while.
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
        guard isIdle else { return }  // The end of what is being rendered plans it again.
        guard !isUsed else { return planRest() }
        let (renderer, threads) = renderers[1]
        try await threads.runIfActive { renderer.rest() }
    }
}
