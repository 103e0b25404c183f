import API
import Cryptography
import Files
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree

@testable import Keeping
@testable import Uploads

@Suite("The finished work of an attempt is not repeated", .timeLimit(.minutes(20)))
struct AttemptTests {
    private static let grace: Duration = .seconds(3600)

    /// Counts encodings by the names of the recipes.
    private struct Counting: PhotoRenderer {
        let encoded = Shared<[String]>([])

        func render(
            _ original: FileReader, recipes: [Recipe], beside others: [Recipe], limits: ImageLimits
        ) throws -> RenderedImage {
            encoded.change { $0 += recipes.map(\.name) }
            return try InProcessRenderer().render(original, recipes: recipes, beside: others, limits: limits)
        }
    }

    /// Publishes posts, then runs the body with different recipes and a run that is due.
    private func withPosts(
        _ count: Int, recipes: [String] = ["full=90", "thumb=40,cover"],
        _ body: @escaping @Sendable (RunningPipeline, Counting) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let bytes = try Fixture.bytes("baseline-420.jpg")
                for _ in 0..<count { _ = try await running.upload([("a.jpg", bytes)], by: "maria") }
            }
            let renderer = Counting()
            let recipes = try recipes.map { try Recipe(parsing: $0) }
            try await withPipeline(
                in: scratch, runs: false,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = Self.grace
                }, renderer: renderer
            ) { try await body($0, renderer) }
        }
    }

    /// Runs an attempt that renders the files of a post and ends before the switch.
    private func cutOff(_ id: PostID, _ running: RunningPipeline) async throws {
        let tree = running.storage.tree
        let post = try #require(try await tree.get(PostNodes.post(id)))
        let record = try #require(try await running.pipeline.store.record(of: id))
        let old = try #require(PostPhotos.read(post))
        let change = RenditionSwitch(
            tools: running.pipeline.tools, path: PostNodes.post(id), record: record, old: old, value: "another",
            recipes: running.pipeline.settings.recipes)
        #expect(try await !change.run([0], priority: .batch))
        #expect(try await tree.get(PostNodes.post(id)) == post)
        #expect(try await tree.keys(of: UploadNodes.attempt(id)).count == 1)
    }

    private func files(_ id: PostID, _ running: RunningPipeline) async throws -> Set<String> {
        Set(try await running.storage.blobs.fileNames(userID: "maria", postID: id.string))
    }

    /// The names of all files that are listed as garbage.
    private func garbage(_ running: RunningPipeline) async throws -> Set<String> {
        var names: Set<String> = []
        for entry in try await running.storage.tree.children(of: FileNodes.garbage()) {
            for name in (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue) {
                names.insert(try BlobName(name).fileName)
            }
        }
        return names
    }

    @Test("The next attempt reuses finished files, encodes the rest, and leaves nothing behind", arguments: [0, 1, 2])
    func adopted(lost: Int) async throws {
        try await withPosts(1) { running, renderer in
            let tree = running.storage.tree
            let id = try #require(try await tree.keys(of: PostNodes.post()).compactMap { PostID($0.string) }.first)
            let before = try await files(id, running)
            try await cutOff(id, running)
            let made = try await files(id, running).subtracting(before)
            #expect(made.count == 2)
            for name in made.sorted().prefix(lost) {
                try await running.storage.blobs.remove(try BlobName(userID: "maria", postID: id.string, fileName: name))
            }
            let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
            #expect(progress.switched == 1 && progress.failed == 0)
            #expect(renderer.encoded.value.count == 2 + lost, "\(renderer.encoded.value)")

            let post = try #require(try await tree.get(PostNodes.post(id)))
            let photo = try #require(PostPhotos.read(post)?.first)
            let record = try #require(try await running.pipeline.store.record(of: id)?.photos[0])
            #expect(Set(photo.renditions.keys) == ["full", "thumb"])
            #expect(photo.renditions["thumb"]?.width == 40 && photo.renditions["thumb"]?.height == 40)
            let present = try await files(id, running)
            for rendition in photo.renditions.values {
                let name = try BlobName(userID: "maria", postID: id.string, fileName: rendition.fileName)
                let bytes = try await running.storage.blobs.open(name).readAll(maxBytes: 1 << 20)
                let file = try #require(record.files[rendition.fileName])
                #expect(bytes.count == rendition.byteCount && file.byteCount == bytes.count)
                #expect(file.sha256 == sha256(of: bytes) && file.source == record.fileSHA256)
                #expect(made.contains(rendition.fileName) || lost > 0)
            }
            let shown = Set(photo.renditions.values.map(\.fileName))
            let garbage = try await garbage(running)
            #expect(garbage.isDisjoint(with: shown) && present == shown.union(garbage).union([record.fileName]))
            #expect(try await tree.get(UploadNodes.attempt()) == nil)
        }
    }

    @Test("Files of another program version or of other recipes are not reused, and are deleted")
    func notAdopted() async throws {
        try await withPosts(1) { running, renderer in
            let tree = running.storage.tree
            let id = try #require(try await tree.keys(of: PostNodes.post()).compactMap { PostID($0.string) }.first)
            let before = try await files(id, running)
            try await cutOff(id, running)
            let made = try await files(id, running).subtracting(before)
            let attempt = try #require(try await tree.keys(of: UploadNodes.attempt(id)).first)
            try await tree.set(UploadNodes.attempt(id) / attempt / "engine", to: "another")
            let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in }
            #expect(progress.switched == 1 && renderer.encoded.value.count == 4)
            #expect(try await garbage(running).isSuperset(of: made))
            #expect(try await tree.get(UploadNodes.attempt()) == nil)
        }
    }

    @Test("An abandoned attempt is forgotten with its files")
    func collected() async throws {
        try await withPosts(1) { running, _ in
            let tree = running.storage.tree
            let id = try #require(try await tree.keys(of: PostNodes.post()).compactMap { PostID($0.string) }.first)
            let before = try await files(id, running)
            try await cutOff(id, running)
            running.clock.advance(by: 2 * 3_600_000)
            try await running.pipeline.garbage.collect()
            #expect(try await files(id, running) == before)
            #expect(try await tree.get(UploadNodes.attempt()) == nil)
            #expect(try await tree.get(FileNodes.garbage()) == nil)
        }
    }

    @Test("A rendition with an unchanged recipe is neither encoded nor written again; a smaller set needs no decoding")
    func kept() async throws {
        try await withPosts(1) { running, renderer in
            let rows = [(["full=90", "thumb=40"], 2), (["full=90", "thumb=30"], 3), (["full=90"], 3)]
            for (recipes, encoded) in rows {
                var order = PipelineSettings(workers: 1)
                order.recipes = try recipes.map { try Recipe(parsing: $0) }
                running.pipeline.adopt(order)
                let progress = try await Rethumb(running.pipeline.tools, selection: .init(), isDryRun: false).run { _ in
                }
                #expect(progress.switched == 1 && renderer.encoded.value.count == encoded, "\(recipes)")
            }
        }
    }

    @Test(
        "Posts that a run switched before it was cut off count when the run looks at them again",
        arguments: [PostRunSwitch.each, .last])
    func counted(switches: PostRunSwitch) async throws {
        try await withPosts(3) { running, renderer in
            let generation = RethumbRun(id: running.storage.ids.next(), switchesLast: switches == .last)
            func run(_ job: any PostRunWork) async throws -> PostRunProgress {
                var pace = PostRunPace()
                pace.concurrency = 1
                return try await job.run(at: pace) { _ in }
            }
            let rethumb = Rethumb(running.pipeline.tools, selection: .init(), by: nil, rethumbRun: generation)
            for _ in 0..<2 {
                // The second run begins at the beginning, as after a crash before anything was noted.
                let progress = try await run(rethumb)
                #expect(progress.switched == 3 && progress.done == 3 && progress.failed == 0)
            }
            #expect(renderer.encoded.value.count == 6)
            guard switches == .last else { return }
            for _ in 0..<2 {
                let progress = try await run(RethumbRunSwitch(tools: running.pipeline.tools, rethumbRun: generation))
                #expect(progress.switched == 3 && progress.done == 3 && progress.failed == 0)
            }
        }
    }
}
