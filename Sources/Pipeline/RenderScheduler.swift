package import Files
package import Imaging
import NIOPosix
import Synchronization
import Tree

/// The one road to the renderer: it decides whose photo is rendered next.
///
/// A photo that somebody looks at comes before those that wait in the queue, and these before batches; but a batch that
/// waits gets a turn after every ``batchInterval`` others, since it may hold what others wait for. Among photos of one
/// priority users take turns, a photo each. What is being rendered is not interrupted.
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

    private struct State {
        var freeCount: Int
        var turnsSinceBatch = 0
        var lastID: UInt64 = 0
        var works: [UInt64: Work] = [:]
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

    private let renderer: any PhotoRenderer
    private let threads: NIOThreadPool
    private let state: Mutex<State>
    /// How many photos are rendered at a time.
    package let workers: Int

    /// Prepares to render with so many threads.
    package init(_ renderer: any PhotoRenderer, workers: Int) {
        self.renderer = renderer
        let count = max(1, workers)
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        self.workers = count
        state = Mutex(State(freeCount: count))
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// How many photos wait for their turn.
    var waitingCount: Int { state.withLock { $0.lines.reduce(0) { $0 + $1.count } } }

    /// What is being rendered, the longest first.
    package var works: [Work] { state.withLock { Array($0.works.values) }.sorted { $0.since < $1.since } }

    /// Renders a photo when its turn has come.
    ///
    /// - Parameters:
    ///   - open: Opens the photo as it was sent, once its turn has come: those that wait hold no descriptor.
    ///   - user: Whose turn it takes.
    ///   - upload: The upload that it belongs to, and its size in bytes, for whoever looks on.
    /// - Throws: `ImageError` or `IsolationError`: a permanent failure or a transient one; `FileError` when the original cannot
    ///   be read; `CancellationError` when the task is cancelled while it waits; what `open` throws.
    package func render(
        recipes: [Recipe], limits: ImageLimits, priority: Priority, for user: String,
        of upload: (id: String, byteCount: Int)? = nil, _ open: () async throws -> FileReader
    ) async throws -> RenderedImage {
        let id = try await waitForTurn(priority, user)
        state.withLock { state in
            state.works[id] = Work(
                upload: upload?.id, user: user, byteCount: upload?.byteCount ?? 0, priority: priority,
                since: WallClock.milliseconds())
        }
        defer { endTurn(of: id) }
        let original = try await open()
        return try await threads.runIfActive { [renderer] in
            try renderer.render(original, recipes: recipes, limits: limits)
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
                    if state.freeCount > 0 {
                        state.freeCount -= 1
                        return true
                    }
                    state.lines[priority.rawValue].append(Waiting(id: id, continuation: continuation), of: user)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.lines[priority.rawValue].remove(of: user) { $0.id == id } }
            waiting?.continuation.resume(returning: false)
        }
        guard hasTurn else { throw CancellationError() }
        return id
    }

    private func endTurn(of id: UInt64) {
        let next: Waiting? = state.withLock { state in
            state.works[id] = nil
            let next = state.popNext()
            if next == nil { state.freeCount += 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
