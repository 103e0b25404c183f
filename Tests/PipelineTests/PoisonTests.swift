import API
import Concurrency
import Files
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Isolation
@testable import Uploads

@Suite("A photo that crashes its decoder is refused, remembered, and harms no other upload", .timeLimit(.minutes(20)))
struct PoisonTests {
    /// Counts the renderings of a photo by another renderer.
    private struct Counting: PhotoRenderer {
        let count = Shared(0)
        let renderer: IsolatedRenderer

        init() throws {
            renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(cpuSeconds: 1))
        }

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            count.change { $0 += 1 }
            return try renderer.render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    @Test(
        "The photo fails with a reason, is remembered over a restart, and is refused for all without being decoded",
        arguments: [
            ("segmentationFault", "decoder_crashed"), ("loop", "decoder_timed_out"), ("open", "decoder_crashed"),
        ])
    func remembered(deed: String, code: String) async throws {
        let poison = (name: "poison.jpg", bytes: Rogue.photo(deed))
        try await withScratch { scratch in
            for (user, expected) in [("maria", 1), ("joe", 0)] {
                let renderer = try Counting()
                try await withPipeline(in: scratch, renderer: renderer) { running in
                    for _ in 0..<2 {
                        let record = try await running.upload([poison], by: user)
                        #expect(record.state == .failed && record.error?.code.rawValue == code)
                        #expect(record.error?.message.hasPrefix("poison.jpg: ") == true)
                        #expect(record.error?.hint.isEmpty == false)
                    }
                    #expect(renderer.count.value == expected)
                }
            }
            try await withPipeline(in: scratch, settings: { $0.poisonLifetime = .zero }, renderer: try Counting()) {
                let again = try await $0.upload([(poison.name, Rogue.photo("name"))], by: "maria")
                #expect(again.error?.code.rawValue == "corrupt", "another photo has its own failure")
            }
        }
    }

    @Test("Refused photos are forgotten in the end: decoders are fixed")
    func forgotten() async throws {
        let renderer = try Counting()
        try await withPipeline(settings: { $0.poisonLifetime = .milliseconds(-1) }, renderer: renderer) { running in
            for _ in 0..<2 { _ = try await running.upload([("a.jpg", Rogue.photo("exit"))], by: "u") }
            #expect(renderer.count.value == 2)
        }
    }

    @Test("Other decoders try a refused photo again")
    func otherDecoders() async throws {
        try await withScratch { scratch in
            for (version, expected) in [("1", 1), ("1", 0), ("2", 1)] {
                let renderer = try Counting()
                try await withPipeline(in: scratch, settings: { $0.decoderVersion = version }, renderer: renderer) {
                    let record = try await $0.upload([("a.jpg", Rogue.photo("exit"))], by: "u")
                    #expect(record.error?.code.rawValue == "decoder_crashed")
                    #expect(renderer.count.value == expected)
                }
            }
            #expect(WorkerProgram.version.count == 16)
        }
    }

    @Test("An operator may retry a refused photo, with or without a running service", arguments: [true, false])
    func secondChance(runs: Bool) async throws {
        try await withScratch { scratch in
            let renderer = try Counting()
            let hash = Shared("")
            try await withPipeline(in: scratch, renderer: renderer) { running in
                let record = try await running.upload([("a.jpg", Rogue.photo("exit"))], by: "u")
                hash.change { $0 = record.photos[0]?.sha256 ?? "" }
                guard runs else { return }
                try DecodeRetry.give(hash.value, in: Directory(path: scratch.path + "/Storage"))
                for _ in 0..<2 { _ = try await running.upload([("a.jpg", Rogue.photo("exit"))], by: "v") }
                #expect(renderer.count.value == 2, "once")
                #expect(!scratch.exists("Storage/forgiven/\(hash.value)"))
            }
            if runs { return }
            try DecodeRetry.give(hash.value, in: Directory(path: scratch.path + "/Storage"))
            try scratch.write("", to: "Storage/forgiven/no.hash")
            try await withPipeline(in: scratch, renderer: renderer) { running in
                try await eventually { !scratch.exists("Storage/forgiven/\(hash.value)") }
                _ = try await running.upload([("a.jpg", Rogue.photo("exit"))], by: "v")
                #expect(renderer.count.value == 2)
            }
        }
    }

    /// Renders after its worker has been killed from outside a few times.
    private struct Hunted: PhotoRenderer {
        let kills = Shared(3)

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            let isKilled = kills.value > 0
            kills.change { $0 -= 1 }
            guard !isKilled else { throw WorkerFailure.killed(9).error(WorkerLimits()) }
            return try InProcessRenderer().render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    @Test("A kill from outside is not a failure of the photo: it is tried again, with growing delays, and not refused")
    func killedFromOutside() async throws {
        try await withPipeline(renderer: Hunted()) { running in
            let id = try await running.accept("size-97x61.jpg", by: "maria")
            try await eventually {
                try await running.pipeline.store.record(of: id)?.error?.code.rawValue == "worker_killed"
            }
            let record = try await running.pipeline.store.end(of: id)
            #expect(record.state == .published && record.attempts == 3 && record.error == nil)
            #expect(try await running.storage.tree.get(UploadNodes.poison()) == nil)
        }
        let delays = (1...20).map { Backoff.delay(afterAttempt: $0, atMost: 3_600_000) }
        #expect(delays[0] <= .milliseconds(500) && delays[19] >= .seconds(1800) && delays[19] <= .seconds(3600))
    }

    @Test("Good photos that are rendered beside it become posts")
    func neighbours() async throws {
        try await withPipeline(renderer: try Counting()) { running in
            let good = try Fixture.bytes("size-97x61.jpg")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for deed in ["segmentationFault", "noise", "loop", "fork", "hangUp"] {
                    group.addTask {
                        let record = try await running.upload([("bad.jpg", Rogue.photo(deed))], by: "bad")
                        #expect(record.state == .failed)
                    }
                    group.addTask {
                        let record = try await running.upload([("good.jpg", good)], by: "good")
                        #expect(record.state == .published)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
