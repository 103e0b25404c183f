import Files
import Imaging
import TestSupport
import Testing

@testable import Uploads

@Suite("The order in which photos are rendered", .timeLimit(.minutes(20)))
struct RenderSchedulerTests {
    /// A renderer that is never called: no photo of these tests can be opened.
    private struct Unused: PhotoRenderer {
        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            throw FileError(.io, "no photo")
        }
    }

    /// Queues photos while the only turn is in use, runs the body, then ends the turn.
    ///
    /// - Returns: The priorities of the photos that had their turn, in order.
    private func turns(
        of waiting: [RenderScheduler.Priority], act: ([Task<Void, Never>], RenderScheduler) async throws -> Void
    ) async throws -> [RenderScheduler.Priority] {
        let scheduler = RenderScheduler(Unused(), workers: 1)
        let turns = Shared<[RenderScheduler.Priority]>([])
        @Sendable func render(_ priority: RenderScheduler.Priority, _ turn: @Sendable () async -> Void) async {
            _ = try? await scheduler.render(recipes: [], limits: ImageLimits(), priority: priority, for: "maria") {
                turns.change { $0.append(priority) }
                await turn()
                throw FileError(.io, "no photo")
            }
        }
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let first = Task { await render(.interactive) { for await _ in isOver {} } }
        try await eventually { turns.value.count == 1 }
        let tasks = waiting.map { priority in Task { await render(priority) {} } }
        try await eventually { scheduler.waitingCount == waiting.count }
        try await act(tasks, scheduler)
        end.finish()
        for task in [first] + tasks { await task.value }
        return Array(turns.value.dropFirst())
    }

    @Test("Interactive renderings are first, then uploads; a waiting batch has one turn after every sixteen of theirs")
    func order() async throws {
        let uploads = Array(repeating: RenderScheduler.Priority.queued, count: 20)
        let waiting = [.batch, .batch] + uploads + [.interactive]
        let turns = try await turns(of: waiting) { _, _ in }
        #expect(turns.first == .interactive)
        #expect(turns.indices.filter { turns[$0] == .batch } == [16, waiting.count - 1])
    }

    /// A renderer with another one for batches.
    private struct Twofold: PhotoRenderer {
        let rests = Shared(0)
        let batches = Shared<[Int]>([])
        var isBackground = false

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            batches.change { $0.append(isBackground ? 1 : 0) }
            throw FileError(.io, "no photo")
        }

        func makeBackground() -> (any PhotoRenderer)? {
            var other = self
            other.isBackground = true
            return other
        }

        func rest() { rests.change { $0 += isBackground ? 1 : 100 } }
    }

    @Test("Batches have their own lane, so an upload has its turn at once; their resources are released")
    func background() async throws {
        let renderer = Twofold()
        let scheduler = RenderScheduler(renderer, workers: 1)
        let file = try FileReader(path: Fixture.path("size-97x61.jpg"))
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let begun = Shared(0)
        let batches = (0..<3).map { _ in
            Task {
                _ = try? await scheduler.render(recipes: [], limits: ImageLimits(), priority: .batch, for: "maria") {
                    begun.change { $0 += 1 }
                    for await _ in isOver {}
                    return file
                }
            }
        }
        try await eventually { begun.value == 1 && scheduler.waitingCount == 2 }
        for priority in [RenderScheduler.Priority.interactive, .queued] {
            _ = try? await scheduler.render(recipes: [], limits: ImageLimits(), priority: priority, for: "jan") { file }
        }
        #expect(renderer.batches.value == [0, 0])
        end.finish()
        for batch in batches { await batch.value }
        #expect(renderer.batches.value == [0, 0, 1, 1, 1])
        try await eventually { renderer.rests.value == 1 }
    }

    @Test("The resources of batches are also released when they are cancelled while they give way to an upload")
    func cancelledBatch() async throws {
        let renderer = Twofold()
        let scheduler = RenderScheduler(renderer, workers: 1)
        let file = try FileReader(path: Fixture.path("size-97x61.jpg"))
        let turns = Shared(0)
        @Sendable func render(_ priority: RenderScheduler.Priority, until end: AsyncStream<Void>) -> Task<Void, Never> {
            Task {
                _ = try? await scheduler.render(recipes: [], limits: ImageLimits(), priority: priority, for: "jan") {
                    turns.change { $0 += 1 }
                    for await _ in end {}
                    return file
                }
            }
        }
        let (batchEnds, endBatch) = AsyncStream.makeStream(of: Void.self)
        let (uploadEnds, endUpload) = AsyncStream.makeStream(of: Void.self)
        let first = render(.batch, until: batchEnds)
        try await eventually { turns.value == 1 }
        let upload = render(.queued, until: uploadEnds)
        try await eventually { turns.value == 2 }
        let second = render(.batch, until: batchEnds)
        try await eventually { scheduler.waitingCount == 1 }
        endBatch.finish()
        await first.value
        second.cancel()
        await second.value
        try await eventually { renderer.rests.value == 1 }
        endUpload.finish()
        await upload.value
    }

    @Test("A cancelled photo leaves the line at once, and is not opened")
    func cancelled() async throws {
        let turns = try await turns(of: [.queued, .batch, .interactive]) { tasks, scheduler in
            for task in tasks.dropLast() { task.cancel() }
            for task in tasks.dropLast() { await task.value }
            #expect(scheduler.waitingCount == 1)
        }
        #expect(turns == [.interactive])
    }
}
