import API
import Files
import Foundation
import Imaging
import Model
import Service
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Keeping

@Suite("Renditions that are shown at once, or rolled back", .timeLimit(.minutes(20)))
struct RethumbRunTests {
    private static let recipes = ["thumb=50,q60"]
    /// An order that renders all posts before it switches any.
    private static var last: BatchOrder {
        var order = BatchOrder(.rethumb)
        order.switches = .last
        return order
    }

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

    /// Waits until the job is in the state.
    private func wait(for state: PostRunState, of id: PushID, _ running: RunningPipeline) async throws {
        try await eventually { try await running.pipeline.postRuns.list().first { $0.id == id }?.state == state }
    }

    /// Checks that each file that a post names exists, and that all posts name the same renditions.
    private func check(_ running: RunningPipeline, names: Set<String>) async throws {
        for child in try await running.storage.tree.children(of: PostNodes.post()) {
            for photo in try #require(PostPhotos.read(child.value)) {
                #expect(Set(photo.renditions.keys) == names)
                let files = try await running.storage.blobs.fileNames(userID: "maria", postID: child.key.string)
                #expect(Set(photo.renditions.values.map(\.fileName)).isSubset(of: files))
            }
        }
    }

    @Test("All posts are rendered first, and nothing is shown; then every post is switched, and rolled back")
    func switchLast() async throws {
        try await withPosts(4) { running in
            let before = try await posts(running)
            let batches = running.pipeline.postRuns
            let job = try await batches.begin(Self.last)
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

    @Test("Renditions that were never shown are deleted by the rollback, and posts stay unchanged")
    func discard() async throws {
        try await withPosts(3, grace: .zero) { running in
            let before = try await posts(running)
            let batches = running.pipeline.postRuns
            let job = try await batches.begin(Self.last)
            try await wait(for: .prepared, of: job.id, running)
            try await running.pipeline.janitor.sweep()
            let id = try #require(try await running.storage.tree.children(of: PostNodes.post()).first?.key.string)
            let prepared = try await running.storage.blobs.fileNames(userID: "maria", postID: id)
            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            try await running.pipeline.janitor.sweep()
            let left = try await running.storage.blobs.fileNames(userID: "maria", postID: id)
            #expect(Set(left).isStrictSubset(of: prepared))
            #expect(try await posts(running) == before)
        }
    }

    @Test("Posts that are switched one by one are rolled back, too, with their current words")
    func switchEach() async throws {
        try await withPosts(3) { running in
            let batches = running.pipeline.postRuns
            let job = try await batches.begin(BatchOrder(.rethumb))
            try await wait(for: .finished, of: job.id, running)
            try await check(running, names: ["thumb"])
            let post = try #require(try await running.storage.tree.children(of: PostNodes.post()).first?.key)
            try await running.storage.tree.set(PostNodes.post() / post / "photos" / "0" / "alt", to: "A lake")
            _ = try await batches.begin(.rollback, of: job.id)
            try await wait(for: .rolledBack, of: job.id, running)
            let list = try await running.storage.tree.children(of: PostNodes.post())
            for child in list {
                #expect(PostPhotos.read(child.value)?.allSatisfy { $0.renditions.count > 1 } == true)
            }
            #expect(try await running.storage.tree.get(PostNodes.post() / post / "photos" / "0" / "alt") == "A lake")
        }
    }

    @Test("A run that is cancelled in the middle and rolled back at once leaves no post switched")
    func cancelAndRollBack() async throws {
        try await withPosts(12) { running in
            let before = try await posts(running)
            let batches = running.pipeline.postRuns
            for _ in 0..<3 {
                let job = try await batches.begin(BatchOrder(.rethumb))
                try await eventually { (batches.known.first { $0.id == job.id }?.progress.switched ?? 0) > 1 }
                do {
                    _ = try await batches.set(job.id, to: .cancelled)
                } catch let failure as Failure where failure.code == .wrongState {
                    // It was quicker than this task: all of it is rolled back.
                }
                _ = try await batches.begin(.rollback, of: job.id)
                try await wait(for: .rolledBack, of: job.id, running)
                #expect(try await posts(running) == before)
            }
        }
    }

    @Test("A run has its own list, time range, recipes and pace, and keeps them over a restart")
    func ordered() async throws {
        try await withPosts(6) { running in
            let tree = running.storage.tree
            let ids = try await tree.keys(of: PostNodes.post()).compactMap { PostID($0.string) }
            let batches = running.pipeline.postRuns
            var order = BatchOrder(.rethumb)
            order.posts = [ids[1], ids[4]]
            order.recipes = [try Recipe(parsing: "wide=30x10,cover")]
            order.pace.concurrency = 3
            let job = try await batches.begin(order)
            try await wait(for: .finished, of: job.id, running)
            let done = try #require(try await batches.list().first)
            #expect(done.progress.total == 2 && done.progress.switched == 2 && done.isListed)
            let names = try await tree.children(of: PostNodes.post()).map { child in
                Set(PostPhotos.read(child.value)?.flatMap(\.renditions.keys) ?? [])
            }
            #expect(names.enumerated().allSatisfy { $0.element == ["wide"] || ![1, 4].contains($0.offset) })
            #expect(names.count { $0 == ["wide"] } == 2)

            // The record as it is read back.
            let record = try #require(try await tree.children(of: WorkNodes.postRun()).first)
            let read = try #require(PostRun(record))
            #expect(read.recipes?.map(\.name) == ["wide"] && read.pace.concurrency == 3 && read.isListed)

            var range = BatchOrder(.rethumb)
            range.selection.since = ids[2].timestamp
            range.selection.until = ids[5].timestamp
            let expected = ids.count {
                (ids[2].timestamp..<ids[5].timestamp).contains($0.timestamp)
            }
            let second = try await batches.begin(range)
            try await wait(for: .finished, of: second.id, running)
            #expect(try await batches.list().first?.progress.total == expected)

            try await batches.remove(job.id)
            #expect(try await tree.get(WorkNodes.postList(job.id)) == nil)
            #expect(try await tree.get(WorkNodes.rethumbRun(job.id)) == nil)
            await #expect(throws: Failure.self) { try await batches.remove(job.id) }
        }
    }

    @Test("A run for damage renders missing and truncated renditions only")
    func damaged() async throws {
        try await withPosts(2) { running in
            let tree = running.storage.tree
            let id = try #require(try await tree.keys(of: PostNodes.post()).first?.string)
            let folder = "\(running.scratch.path)/Storage/blobs/maria/\(id)"
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let thumb = try #require(files.first { $0.hasPrefix("thumb-") })
            try FileManager.default.removeItem(atPath: "\(folder)/\(thumb)")
            var order = BatchOrder(.rethumb)
            order.selection.onlyDamaged = true
            let job = try await running.pipeline.postRuns.begin(order)
            try await wait(for: .finished, of: job.id, running)
            let done = try #require(try await running.pipeline.postRuns.list().first)
            #expect(done.progress.total == 2 && done.progress.switched == 1)
            let after = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(after.count { $0.hasPrefix("thumb-") } == 1 && !after.contains(thumb))
        }
    }

    @Test("A plan estimates posts, bytes and time from a sample, and leaves no files behind")
    func plan() async throws {
        try await withPosts(3) { running in
            let before = try await posts(running)
            let plan = try await RethumbPlan(running.pipeline.tools, BatchOrder(.rethumb)).document()
            #expect(plan.total == 3 && plan.posts == 3 && plan.failed == 0 && plan.sampled == nil)
            #expect(plan.bytes ?? 0 > 0 && plan.seconds ?? 0 > 0)
            var none = BatchOrder(.rethumb)
            none.posts = []
            #expect(try await RethumbPlan(running.pipeline.tools, none).document().total == 0)
            #expect(try await posts(running) == before)
        }
    }

    @Test("A post whose former files are deleted stays unchanged, and is counted")
    func gone() async throws {
        try await withPosts(2, grace: .zero) { running in
            let batches = running.pipeline.postRuns
            let job = try await batches.begin(BatchOrder(.rethumb))
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
