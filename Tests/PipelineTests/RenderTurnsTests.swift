import Testing

@testable import Uploads

@Suite("Batches give way to uploads")
struct RenderTurnsTests {
    private struct Batch: Identifiable, Equatable {
        let id: Int
    }

    /// Turns for two at a time; its functions accept the time in milliseconds.
    private final class Line {
        private var turns = RenderTurns<Batch>(workers: 2, hasBackground: true)
        private let start = ContinuousClock.now

        private func at(_ time: Int) -> ContinuousClock.Instant { start + .milliseconds(time) }

        func wait(_ ids: Range<Int>) { for id in ids { turns.wait(Batch(id: id), .batch, of: "maria") } }
        func take(_ priority: RenderScheduler.Priority, _ time: Int) -> Bool { turns.take(priority, at: at(time)) }
        func end(_ priority: RenderScheduler.Priority, _ time: Int) -> [Int] {
            turns.end(priority, at: at(time)).map(\.id)
        }
        func resume(_ time: Int) -> [Int] { turns.popBatches(at: at(time)).map(\.id) }
        var isHoldingBack: Bool { turns.isHoldingBack }
    }

    @Test("Without uploads, batches have all turns at once")
    func idle() {
        let line = Line()
        #expect((0..<3).map { _ in line.take(.batch, 0) } == [true, true, false])
        line.wait(0..<1)
        #expect(line.end(.batch, 1) == [0])
    }

    @Test("No batch begins while an upload is rendered, or for a while after it")
    func quiet() {
        let line = Line()
        #expect(line.take(.batch, 0))
        #expect(line.take(.queued, 1))
        #expect(!line.take(.batch, 2))
        line.wait(0..<3)
        #expect(line.end(.batch, 3) == [])
        #expect(line.end(.queued, 10) == [])
        #expect(line.resume(109) == [])
        #expect(line.isHoldingBack)
        #expect(line.resume(110) == [0, 1])
        #expect(!line.isHoldingBack)
    }

    @Test("A waiting batch has a turn every five seconds, however many uploads arrive")
    func patience() {
        let line = Line()
        #expect(line.take(.batch, 0))
        line.wait(0..<9)
        #expect(line.take(.queued, 1))
        #expect(line.end(.batch, 2) == [])
        var begun: [Int] = []
        for time in stride(from: 100, through: 15_000, by: 100) {
            for _ in line.resume(time) {
                begun.append(time)
                #expect(line.end(.batch, time) == [])
            }
        }
        #expect(begun == [5000, 10_000, 15_000])
    }

    @Test("The first batch after a long time begins at once, however many uploads arrive")
    func first() {
        let line = Line()
        #expect(line.take(.interactive, 0))
        #expect((0..<2).map { _ in line.take(.batch, 1) } == [true, false])
    }
}
