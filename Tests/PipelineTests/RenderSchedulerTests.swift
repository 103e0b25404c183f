import Files
import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite("Whose photo is rendered next", .timeLimit(.minutes(5)))
struct RenderSchedulerTests {
    /// Refuses every photo, after a moment in which others can get into line.
    private struct Refusing: PhotoRenderer {
        func render(_ original: FileReader, recipes: [Recipe], limits: ImageLimits) throws -> RenderedImage {
            Thread.sleep(forTimeInterval: 0.001)
            throw FileError(.io, "no photo")
        }
    }

    private func render(
        _ priority: RenderScheduler.Priority, by scheduler: RenderScheduler, _ path: String, note: () -> Void = {}
    ) async {
        _ = try? await scheduler.render(recipes: [], limits: ImageLimits(), priority: priority, for: "maria") {
            note()
            return try FileReader(path: path)
        }
    }

    @Test("A batch that waits gets its turn however many uploads keep coming, but not before many of them")
    func batch() async throws {
        try await withScratch { scratch in
            try scratch.write([1], to: "photo")
            let path = scratch.path + "/photo"
            let scheduler = RenderScheduler(Refusing(), workers: 1)
            let (turns, isDone) = (Shared(0), Shared(false))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while !isDone.value { await render(.queued, by: scheduler, path) { turns.change { $0 += 1 } } }
                    }
                }
                while turns.value < 20 { await Task.yield() }
                let before = turns.value
                await render(.batch, by: scheduler, path) { isDone.change { $0 = true } }
                let between = turns.value - before
                #expect((RenderScheduler.batchInterval / 2...RenderScheduler.batchInterval + 8).contains(between))
            }
        }
    }

    @Test("Who is cancelled leaves the line, and opens nothing")
    func cancelled() async throws {
        try await withScratch { scratch in
            try scratch.write([1], to: "photo")
            let path = scratch.path + "/photo"
            let scheduler = RenderScheduler(Refusing(), workers: 1)
            let opened = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                for _ in 0..<50 {
                    group.addTask { await render(.interactive, by: scheduler, path) { opened.change { $0 += 1 } } }
                }
            }
            // Nobody is left in line: the next one has its turn.
            await render(.batch, by: scheduler, path) { opened.change { $0 -= 1 } }
            #expect(opened.value == -1)
        }
    }
}
