import Blobs
import Imaging
import Isolation
import Pipeline
import Posts
import TestSupport
import Testing
import Tree

@Suite("A photo that breaks its decoder is refused, remembered, and nobody else's trouble", .timeLimit(.minutes(5)))
struct PoisonTests {
    /// Counts how often a photo is rendered, by whoever really does it.
    private struct Counting: PhotoRenderer {
        let count = Shared(0)
        let renderer: IsolatedRenderer

        init() throws {
            renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(cpuSeconds: 1))
        }

        func render(_ original: FileReader, recipes: [Recipe], limits: ImageLimits) throws -> RenderedImage {
            count.change { $0 += 1 }
            return try renderer.render(original, recipes: recipes, limits: limits)
        }
    }

    @Test(
        "It fails with a reason, is remembered over a restart, and is refused to all without being decoded",
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
                #expect(again.error?.code.rawValue == "corrupt", "another photo has its own verdict")
            }
        }
    }

    @Test("It is forgotten in the end: decoders are mended")
    func forgotten() async throws {
        let renderer = try Counting()
        try await withPipeline(settings: { $0.poisonLifetime = .milliseconds(-1) }, renderer: renderer) { running in
            for _ in 0..<2 { _ = try await running.upload([("a.jpg", Rogue.photo("exit"))], by: "u") }
            #expect(renderer.count.value == 2)
        }
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
