import API
import Blobs
import Files
import Imaging
import Pipeline
import Posts
import TestSupport
import Testing
import Tree

@Suite("Renditions that are shown at once, or taken back", .timeLimit(.minutes(30)))
struct GenerationTests {
    private static let recipes = ["thumb=50,q60"]

    private func withPosts(
        _ count: Int, grace: Duration = .seconds(3600),
        _ body: @escaping @Sendable (RunningPipeline) async throws -> Void
    ) async throws {
        let recipes = try Self.recipes.map { try Recipe(parsing: $0) }
        try await withScratch { scratch in
            try await withPipeline(in: scratch) { running in
                let bytes = try Fixture.bytes("baseline-420.jpg")
                for _ in 0..<count { _ = try await running.upload([("a.jpg", bytes)], by: "maria") }
            }
            try await withPipeline(
                in: scratch,
                settings: {
                    $0.recipes = recipes
                    $0.gracePeriod = grace
                }, body)
        }
    }

    private func posts(_ running: RunningPipeline) async throws -> TreeValue? {
        try await running.storage.tree.get("posts")
    }

    /// Waits until the job is so.
    private func wait(for state: BatchJobState, of id: PushID, _ running: RunningPipeline) async throws {
        try await eventually { try await running.pipeline.batches.list().first { $0.id == id }?.state == state }
    }

    /// Sees to it that each file that a post names is there, and that all posts name the same renditions.
    private func check(_ running: RunningPipeline, names: Set<String>) async throws {
        for child in try await running.storage.tree.children(of: Paths.posts) {
            for photo in try #require(PostPhotos.read(child.value)) {
                #expect(Set(photo.renditions.keys) == names)
                let files = try await running.storage.blobs.fileNames(userID: "maria", postID: child.key.string)
                #expect(Set(photo.renditions.values.map(\.fileName)).isSubset(of: files))
            }
        }
    }

    @Test("All is rendered first, and kept while nobody sees it; then every post is switched, and taken back")
    func switchLast() async throws {
        try await withPosts(4) { running in
            let before = try await posts(running)
            let batches = running.pipeline.batches
            let job = try await batches.begin(.rethumb, .init(), switches: .last)
            try await wait(for: .prepared, of: job.id, running)
            #expect(try await posts(running) == before)
            try await running.pipeline.janitor.sweep()
            await #expect(throws: Failure.self) { try await batches.set(job.id, to: .paused) }

            _ = try await batches.begin(.switch, of: job.id)
            try await wait(for: .finished, of: job.id, running)
            try await check(running, names: ["thumb"])
            await #expect(throws: Failure.self) { try await batches.begin(.switch, of: job.id) }

            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            #expect(try await posts(running) == before)
            await #expect(throws: Failure.self) { try await batches.begin(.rollback, of: job.id) }
        }
    }

    @Test("What was rendered and never shown goes with the way back, and posts stay as they are")
    func discard() async throws {
        try await withPosts(3, grace: .zero) { running in
            let before = try await posts(running)
            let batches = running.pipeline.batches
            let job = try await batches.begin(.rethumb, .init(), switches: .last)
            try await wait(for: .prepared, of: job.id, running)
            try await running.pipeline.janitor.sweep()
            let id = try #require(try await running.storage.tree.children(of: Paths.posts).first?.key.string)
            let prepared = try await running.storage.blobs.fileNames(userID: "maria", postID: id)
            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            try await running.pipeline.janitor.sweep()
            let left = try await running.storage.blobs.fileNames(userID: "maria", postID: id)
            #expect(Set(left).isStrictSubset(of: prepared))
            #expect(try await posts(running) == before)
        }
    }

    @Test("Posts that are switched one by one are taken back, too, with the words that they have by then")
    func switchEach() async throws {
        try await withPosts(3) { running in
            let batches = running.pipeline.batches
            let job = try await batches.begin(.rethumb, .init())
            try await wait(for: .finished, of: job.id, running)
            try await check(running, names: ["thumb"])
            let post = try #require(try await running.storage.tree.children(of: Paths.posts).first?.key)
            try await running.storage.tree.set(Paths.posts / post / "photos" / "0" / "alt", to: "A lake")
            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            let list = try await running.storage.tree.children(of: Paths.posts)
            for child in list {
                #expect(PostPhotos.read(child.value)?.allSatisfy { $0.renditions.count > 1 } == true)
            }
            #expect(try await running.storage.tree.get(Paths.posts / post / "photos" / "0" / "alt") == "A lake")
        }
    }

    @Test("Whose former files are gone stays as it is, and is counted")
    func gone() async throws {
        try await withPosts(2, grace: .zero) { running in
            let batches = running.pipeline.batches
            let job = try await batches.begin(.rethumb, .init())
            try await wait(for: .finished, of: job.id, running)
            try await running.pipeline.janitor.sweep()
            let switched = try await posts(running)
            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            let ended = try #require(try await batches.list().first)
            #expect(ended.progress.failed == 2 && ended.progress.lastFailure?.contains("gone") == true)
            #expect(try await posts(running) == switched)
            try await check(running, names: ["thumb"])
        }
    }
}
