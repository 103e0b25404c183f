package import Files
package import Imaging
import NIOPosix
import Synchronization

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

    /// Prepares to render with so many threads.
    package init(_ renderer: any PhotoRenderer, workers: Int) {
        self.renderer = renderer
        let count = max(1, workers)
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        state = Mutex(State(freeCount: count))
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// How many photos wait for their turn.
    var waitingCount: Int { state.withLock { $0.lines.reduce(0) { $0 + $1.count } } }

    /// Renders a photo when its turn has come.
    ///
    /// - Parameters:
    ///   - open: Opens the photo as it was sent, once its turn has come: those that wait hold no descriptor.
    ///   - user: Whose turn it takes.
    /// - Throws: `ImageError` or `IsolationError`: a permanent failure or a transient one; `FileError` when the original cannot
    ///   be read; `CancellationError` when the task is cancelled while it waits; what `open` throws.
    package func render(
        recipes: [Recipe], limits: ImageLimits, priority: Priority, for user: String,
        _ open: () async throws -> FileReader
    ) async throws -> RenderedImage {
        try await waitForTurn(priority, user)
        defer { endTurn() }
        let original = try await open()
        return try await threads.runIfActive { [renderer] in
            try renderer.render(original, recipes: recipes, limits: limits)
        }
    }

    private func waitForTurn(_ priority: Priority, _ user: String) async throws {
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
    }

    private func endTurn() {
        let next: Waiting? = state.withLock { state in
            let next = state.popNext()
            if next == nil { state.freeCount += 1 }
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
