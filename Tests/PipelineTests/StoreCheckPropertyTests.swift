import API
import Access
import Foundation
import Imaging
import Model
import NIOCore
import Service
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

/// Concurrent actions of all kinds, while garbage is collected and the store is audited all the time: no audit finds
/// anything, and no file in use is deleted.
@Suite("Audits and collections beside everything else", .timeLimit(.minutes(20)))
struct StoreCheckPropertyTests {
    @Test("Whatever people, runs and sweeps do meanwhile, nothing looks damaged and no file in use is deleted")
    func meanwhile() async throws {
        let run = RandomRun(rounds: 60)
        try await withPipeline(settings: { $0.gracePeriod = .zero }) { running in
            let store = try await StoreCheckStore(running)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let isOver = Shared(false)
                for seed in 0..<3 as Range<UInt64> {
                    group.addTask {
                        var actor = Actor(store, seed: run.seed &+ seed)
                        try await actor.act(rounds: run.rounds)
                    }
                }
                for action in [StoreCheckAction.verify, .gc] {
                    group.addTask {
                        while !isOver.value {
                            let found = try await store.audit(action, changes: action == .gc, maxShare: 1)
                            #expect(found.findings.isEmpty, "seed \(run.seed): \(found.findings)")
                        }
                    }
                }
                group.addTask { while !isOver.value { try await running.pipeline.janitor.sweep() } }
                for _ in 0..<3 { try await group.next() }
                isOver.change { $0 = true }
                try await group.waitForAll()
            }
            try await eventually { try await store.tree.get(WorkNodes.followUpTask()) == nil }
            try await running.pipeline.janitor.sweep()
            #expect(try await store.audit(.verify).findings.isEmpty, "seed \(run.seed)")
        }
    }

    /// An actor that does what people, clients and operators do, in the order of a seed.
    private struct Actor {
        private static let sets = [["full=96", "thumb=48,cover"], ["full=80,q70", "thumb=48,cover", "tile=16,cover"]]

        private let store: StoreCheckStore
        private var random: SeededGenerator
        private var posts: [PostID] = []
        private var name: String

        init(_ store: StoreCheckStore, seed: UInt64) {
            self.store = store
            random = SeededGenerator(seed: seed)
            name = "user\(seed % 1000)"
        }

        mutating func act(rounds: Int) async throws {
            for round in 0..<rounds {
                do {
                    try await step(round)
                } catch let error as Failure {
                    // Actions on posts that are deleted, changed or in work meanwhile are refused.
                    #expect(
                        [.notFound, .wrongState, .jobRunning, .changedWhileRead, .badRequest].contains(error.code),
                        "\(error)")
                }
            }
        }

        private mutating func step(_ round: Int) async throws {
            let pipeline = store.running.pipeline
            switch random.below(10) {
            case 0...2: try await post(round)
            case 3: try await deletePost()
            case 4: try await moderate()
            case 5: try await keepObject(round)
            case 6: try await runJob()
            case 7:
                var settings = pipeline.settings
                settings.recipes = try random.pick(Self.sets).map { try Recipe(parsing: $0) }
                pipeline.adopt(settings)
            case 8: try await doSocially()
            default:
                let selection = PostSelection()
                _ = try await Rethumb(pipeline.tools, selection: selection, isDryRun: false).run { _ in }
            }
        }

        private mutating func post(_ round: Int) async throws {
            var bytes = try Fixture.bytes("size-97x61.jpg")
            bytes += Array("\(name) \(round)".utf8)
            let photos = (0..<random.below(3)).map { (name: "\($0).jpg", bytes: bytes + [UInt8($0)]) }
            posts.append(try await store.running.upload(photos, by: name, text: "#tag\(round % 3)").id)
        }

        private mutating func deletePost() async throws {
            guard let index = posts.indices.randomElement(using: &random) else { return }
            let id = posts.remove(at: index)
            if random.chance(50) {
                _ = try await store.running.pipeline.publisher.deletePost(id, by: .admin)
            } else {
                try await store.tree.set(PostNodes.post(id), to: nil)
            }
        }

        private mutating func moderate() async throws {
            guard let id = posts.randomElement(using: &random) else { return }
            let decision: ModerationDecision = random.chance(50) ? .blur : .pass
            _ = try await store.running.pipeline.moderation.moderate(id, ModerationVerdict(decision))
        }

        private mutating func keepObject(_ round: Int) async throws {
            let objects = store.running.pipeline.objects
            guard let object = ObjectName("\(name)/\(random.below(3))") else { return }
            if random.chance(30) { return try await objects.delete(object) { _ in } }
            let upload = try await objects.beginUpload()
            try await upload.write(ByteBuffer(string: "\(round)"))
            _ = try await objects.put(try await upload.finish(), as: object, ObjectMetadata()) { _ in }
        }

        private mutating func runJob() async throws {
            let batches = store.running.pipeline.postRuns
            guard let job = try await batches.list().randomElement(using: &random), random.chance(70) else {
                var order = BatchOrder(.rethumb)
                order.switches = random.chance(50) ? .last : .each
                order.pace.concurrency = 1 + random.below(4)
                _ = try await batches.begin(order)
                return
            }
            switch random.below(5) {
            case 0: _ = try await batches.set(job.id, to: .paused)
            case 1: _ = try await batches.set(job.id, to: .running)
            case 2: _ = try await batches.set(job.id, to: .cancelled)
            case 3: _ = try await batches.begin(.switch, of: job.id)
            default: _ = try await batches.begin(.rollback, of: job.id)
            }
        }

        private mutating func doSocially() async throws {
            guard let id = posts.randomElement(using: &random) else { return }
            let (tree, key) = (store.tree, try TreeKey(name))
            switch random.below(4) {
            case 0: try await tree.set("people" / key / "following" / "maria", to: random.chance(70) ? true : nil)
            case 1: try await tree.set("likes" / id.key / "jan", to: random.chance(70) ? 1 : nil)
            case 2:
                try await tree.set(
                    PostNodes.post(id) / "text", to: .string("#other\(random.below(3))"),
                    if: [.exists(PostNodes.post(id) / "author")])
            default: try await tree.set("blocking" / key / "jan", to: random.chance(50) ? true : nil)
            }
        }
    }
}
