package import Files
package import Imaging
import NIOPosix
import Synchronization
import Tree

/// The one road to the renderer: it decides whose photo is rendered next.
///
/// A photo that somebody looks at comes before those that wait in the queue. Batches have a lane of their own beside these, with
/// as many turns and a renderer that takes the processor from nobody, so that an upload finds a free turn however much a
/// batch does, and a batch uses all that nobody else wants. A renderer that has no such other one beside it does both: then
/// batches come last, but one that waits gets a turn after every ``batchInterval`` others, since it may hold what others wait
/// for. Among photos of one priority users take turns, a photo each. What is being rendered is not interrupted.
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
        /// When its turn came, in milliseconds since the epoch.
        package let since: Int64
    }

    private struct Waiting {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// How many turns others have in a row while a batch waits.
    static let batchInterval = 16

    /// Turns, and those who wait for them.
    private struct Lane {
        var freeCount: Int
        var turnsSinceBatch = 0
        var lines = Priority.allCases.map { _ in FairLine<String, Waiting>() }

        /// Takes whose turn is next out of its line.
        mutating func popNext() -> Waiting? {
            if turnsSinceBatch >= RenderScheduler.batchInterval, let next = lines[Priority.batch.rawValue].popFirst() {
                turnsSinceBatch = 0
                return next
            }
            for priority in Priority.allCases {
                guard let next = lines[priority.rawValue].popFirst() else { continue }
                turnsSinceBatch = lines[Priority.batch.rawValue].count == 0 ? 0 : turnsSinceBatch + 1
                return next
            }
            return nil
        }
    }

    private struct State {
        /// The first lane is for whatever has no lane of its own.
        var lanes: [Lane]
        var lastID: UInt64 = 0
        var works: [UInt64: Work] = [:]
        /// How many turns the background lane has given.
        var backgroundTurns = 0
        /// Whether somebody waits for the time to have the background renderer rest.
        var isRestPlanned = false
    }

    /// How long the background renderer keeps what it has for a next photo.
    private static let restDelay = Duration.seconds(5)

    /// The renderers of the lanes, each with its threads.
    private let renderers: [(renderer: any PhotoRenderer, threads: NIOThreadPool)]
    private let state: Mutex<State>
    /// How many photos are rendered at a time; and as many of batches beside them, where these have a lane of their own.
    package let workers: Int

    /// Prepares to render with so many threads.
    package init(_ renderer: any PhotoRenderer, workers: Int) {
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
        state = Mutex(State(lanes: Array(repeating: Lane(freeCount: count), count: renderers.count)))
    }

    deinit {
        for (_, threads) in renderers { threads.shutdownGracefully { _ in } }
    }

    /// Whether batches have a lane of their own.
    package var hasBackground: Bool { renderers.count > 1 }

    private func lane(for priority: Priority) -> Int { priority == .batch ? renderers.count - 1 : 0 }

    /// How many photos wait for their turn.
    var waitingCount: Int {
        state.withLock { state in
            state.lanes.flatMap(\.lines).reduce(0) { $0 + $1.count }
        }
    }

    /// What is being rendered, the longest first.
    package var works: [Work] { state.withLock { Array($0.works.values) }.sorted { $0.since < $1.since } }

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
        let lane = lane(for: priority)
        let id = try await waitForTurn(priority, user, in: lane)
        state.withLock { state in
            if lane > 0 { state.backgroundTurns += 1 }
            state.works[id] = Work(
                upload: upload?.id, user: user, byteCount: upload?.byteCount ?? 0, priority: priority,
                since: WallClock.milliseconds())
        }
        defer { endTurn(of: id, in: lane) }
        let original = try await open()
        let (renderer, threads) = renderers[lane]
        return try await threads.runIfActive {
            try renderer.render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    /// - Returns: By what the work is known from now on.
    private func waitForTurn(_ priority: Priority, _ user: String, in lane: Int) async throws -> UInt64 {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.lanes[lane].freeCount > 0 {
                        state.lanes[lane].freeCount -= 1
                        return true
                    }
                    let waiting = Waiting(id: id, continuation: continuation)
                    state.lanes[lane].lines[priority.rawValue].append(waiting, of: user)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.lanes[lane].lines[priority.rawValue].remove(of: user) { $0.id == id } }
            waiting?.continuation.resume(returning: false)
        }
        guard hasTurn else { throw CancellationError() }
        return id
    }

    private func endTurn(of id: UInt64, in lane: Int) {
        let next: Waiting? = state.withLock { state in
            state.works[id] = nil
            let next = state.lanes[lane].popNext()
            if next == nil { state.lanes[lane].freeCount += 1 }
            return next
        }
        next?.continuation.resume(returning: true)
        if next == nil, lane > 0 { planRest() }
    }

    /// Has the background renderer give back what it keeps, once it has had nothing to do for a while.
    private func planRest() {
        let turns: Int? = state.withLock { state in
            guard !state.isRestPlanned else { return nil }
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
            return (state.lanes[1].freeCount == workers, state.backgroundTurns != turns)
        }
        guard isIdle else { return }  // The end of what is being rendered plans it again.
        guard !isUsed else { return planRest() }
        let (renderer, threads) = renderers[1]
        try await threads.runIfActive { renderer.rest() }
    }
}
