import API
import Imaging
import Keeping
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Jobs over posts that outlive their client and the service", .timeLimit(.minutes(20)))
struct PostRunTests {
    private static let recipes = ["thumb=50,q60"]

    private func publish(_ count: Int, in scratch: Scratch) async throws {
        try await withPipeline(in: scratch) { running in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            for _ in 0..<count { _ = try await running.upload([("a.jpg", bytes)], by: "maria") }
        }
    }

    private func state(of id: PushID, in pipeline: Pipeline) async throws -> PostRun? {
        try await pipeline.postRuns.list().first { $0.id == id }
    }

    @Test("A job that a stop cut off continues at the next start, at its position, and switches every post once")
    func restart() async throws {
        let recipes = try Self.recipes.map { try Recipe(parsing: $0) }
        try await withScratch { scratch in
            try await publish(6, in: scratch)
            let begun = Shared<PushID?>(nil)
            // No job runs here, as in a service that is stopped at once.
            try await withPipeline(in: scratch, runs: false, settings: { $0.recipes = recipes }) { running in
                let job = try await running.pipeline.postRuns.begin(BatchOrder(.rethumb))
                begun.change { $0 = job.id }
                await #expect(throws: Failure.self) { try await running.pipeline.postRuns.begin(BatchOrder(.rethumb)) }
            }
            let id = try #require(begun.value)
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                try await eventually { try await state(of: id, in: running.pipeline)?.state == .finished }
                let job = try #require(try await state(of: id, in: running.pipeline))
                #expect(job.progress.done == 6 && job.progress.switched == 6 && job.progress.failed == 0)
            }
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let job = try #require(try await state(of: id, in: running.pipeline))
                #expect(job.progress.switched == 6 && job.state == .finished)
            }
        }
    }

    @Test("A paused job stays paused over a start; it continues after its position, or is cancelled")
    func pause() async throws {
        let recipes = try Self.recipes.map { try Recipe(parsing: $0) }
        try await withScratch { scratch in
            try await publish(3, in: scratch)
            let ids = Shared<[PushID]>([])
            try await withPipeline(in: scratch, runs: false, settings: { $0.recipes = recipes }) { running in
                let batches = running.pipeline.postRuns
                for _ in 0..<2 {
                    let job = try await batches.begin(BatchOrder(.rethumb))
                    #expect(try await batches.set(job.id, to: .paused).state == .paused)
                    ids.change { $0.append(job.id) }
                }
            }
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let batches = running.pipeline.postRuns
                let all = try await batches.list()
                #expect(all.map(\.state) == [.paused, .paused])
                await #expect(throws: Failure.self) { try await batches.set(ids.value[0], to: .paused) }
                _ = try await batches.set(ids.value[1], to: .cancelled)
                _ = try await batches.set(ids.value[0], to: .running)
                try await eventually { try await state(of: ids.value[0], in: running.pipeline)?.state == .finished }
                let cancelled = try #require(try await state(of: ids.value[1], in: running.pipeline))
                #expect(cancelled.progress.done == 0)
                await #expect(throws: Failure.self) { try await batches.set(ids.value[1], to: .running) }
            }
        }
    }

    @Test("A run continues after a position, and skips the posts before it")
    func position() async throws {
        try await withScratch { scratch in
            try await publish(4, in: scratch)
            try await withPipeline(in: scratch, runs: false) { running in
                let job = Rethumb(running.pipeline.tools, selection: .init(), isDryRun: true)
                let steps = Shared<[PostRunProgress]>([])
                _ = try await job.run { step in steps.change { $0.append(step) } }
                let second = try #require(steps.value.first { $0.done == 2 })
                let rest = Shared<[PostRunProgress]>([])
                let last = try await job.run(from: second) { step in rest.change { $0.append(step) } }
                #expect(rest.value.map(\.done) == [2, 3, 4] && last.total == 4)
                #expect(last.position == steps.value.last?.position)
            }
        }
    }

    @Test("A job in a process that does not watch the disk checks the disk itself", .timeLimit(.minutes(3)))
    func unwatched() async throws {
        try await withScratch { scratch in
            try await publish(1, in: scratch)
            try await withPipeline(in: scratch, runs: false) { running in
                let pipeline = running.pipeline
                pipeline.disk.gate.set(IntakePause(code: .diskFull, message: "full", hint: ""))
                let obstacle = pipeline.disk.obstacle
                #expect(obstacle == "waits for room on the disk of \(running.storage.path): full")
                let job = Rethumb(pipeline.tools, selection: PostSelection(), isDryRun: false)
                let progress = try await job.run { _ in }
                #expect(progress.done == 1 && progress.failed == 0)
                #expect(pipeline.disk.obstacle == nil)
            }
        }
    }

    @Test("A job waits while another one runs, also after a pause, and begins when that has ended")
    func waiting() async throws {
        let recipes = try Self.recipes.map { try Recipe(parsing: $0) }
        try await withScratch { scratch in
            try await publish(1, in: scratch)
            try await withPipeline(in: scratch, settings: { $0.recipes = recipes }) { running in
                let batches = running.pipeline.postRuns
                var ticket = running.pipeline.postRunSlot.take()
                #expect(ticket != nil)
                let id = try await batches.begin(BatchOrder(.rethumb)).id
                for state in [PostRunState.paused, .running] { _ = try await batches.set(id, to: state) }
                #expect(running.pipeline.postRunSlot.take() == nil)
                #expect(try await state(of: id, in: running.pipeline)?.progress.done == 0)
                ticket = nil
                try await eventually { try await state(of: id, in: running.pipeline)?.state == .finished }
                #expect(try await state(of: id, in: running.pipeline)?.progress.switched == 1)
            }
        }
    }
}
